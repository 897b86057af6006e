import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode } from './documents.ts'

let server: TestServer
let tenant: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await tenant.admin.write('workspace', 'shop', {})
})

afterAll(() => server.close())

describe('a payload', () => {
  test.each<[string, Record<string, unknown>]>([
    ['absent', {}],
    ['empty', { payload: '' }],
    ['no JSON', { payload: encode('{') }],
    ['no UTF-8', { payload: Buffer.from([0x22, 0xff, 0x22]).toString('base64') }],
    ['a list', { payload: encode([]) }],
    ['a text', { payload: encode('"persona"') }],
    ['null', { payload: encode('null') }],
    ['with a NUL', { payload: encode(String.raw`{"prompt":"\u0000"}`) }],
    ['with half a character', { payload: encode(String.raw`{"prompt":"\ud800"}`) }],
    ['with the key __proto__', { payload: encode('{"__proto__":{"prompt":"x"}}') }],
    ['with __proto__ in disguise', { payload: encode(String.raw`{"\u005f_proto__":{}}`) }],
  ])('is refused when it is %s', async (_case, body) => {
    const answer = await tenant.admin.post('/v1/catalog/persona/x', body)
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['payload'] })
  })

  test('is rejected with everything that breaks the schema of its kind', async () => {
    const answer = await tenant.admin.write('vm-profile', 'x', {
      cpus: -1,
      memoryMib: 1.5,
      image: 7,
      runTimeLimit: '-1s',
      idleTimeLimit: '30 minutes',
      gpu: true,
    })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', body: { code: 3 } })
    expect([...new Set(answer.fields)].sort()).toEqual([
      'cpus',
      'gpu',
      'idleTimeLimit',
      'image',
      'memoryMib',
      'runTimeLimit',
    ])
  })
})

type Case = [rule: string, kind: string, document: Record<string, unknown>, field: string]

describe('a document', () => {
  const link = { workspace: 'shop', agent: ['fix'], account: 'ada' }
  const hook = { url: 'https://hooks.example.com/' }
  const token = { account: 'ci', role: 'viewer' }
  test.each<Case>([
    ['an output schema that is no JSON', 'persona', { outputSchema: '{' }, 'outputSchema'],
    ['an output schema that is no object', 'persona', { outputSchema: 'true' }, 'outputSchema'],
    ['an output schema with a bad keyword', 'persona', { outputSchema: '{"type":"thing"}' }, 'outputSchema'],
    ['an output schema with a dead link', 'persona', { outputSchema: '{"$ref":"#/x"}' }, 'outputSchema'],
    [
      'an output schema that is too large in bytes',
      'persona',
      { outputSchema: JSON.stringify({ description: 'é'.repeat(32_768) }) },
      'outputSchema',
    ],
    ['a task without a subject', 'persona', { tasks: [{}] }, 'tasks[0].subject'],
    ['a repository without a URL', 'workspace', { repos: [{ baseBranch: 'main' }] }, 'repos[0].url'],
    ['a variable that no shell could set', 'environment', { variables: { 'a-b': '' } }, 'variables.a-b'],
    ['a network that there is not', 'environment', { network: 'intranet' }, 'network'],
    ['a secret without a value', 'secret', {}, 'value'],
    ['a secret with an empty value', 'secret', { value: '' }, 'value'],
    ['a build feature that there is not', 'pool', { build: { features: ['flight'] } }, 'build.features[0]'],
    ['a token without an account', 'token', { role: 'viewer' }, 'account'],
    ['a token without a role', 'token', { account: 'ci' }, 'role'],
    ['a token with an unknown role', 'token', { account: 'ci', role: 'boss' }, 'role'],
    [
      'a token that expires on no real day',
      'token',
      { ...token, expireTime: '2026-02-30T00:00:00Z' },
      'expireTime',
    ],
    ['pools for a role that serves none', 'token', { ...token, pools: ['default'] }, 'pools'],
    ['a negative overlap', 'token', { ...token, overlap: '-1s' }, 'overlap'],
    ['key version 0', 'token', { ...token, keyVersion: 0 }, 'keyVersion'],
    ['a link to no agent', 'share-link', { ...link, agent: [] }, 'agent'],
    ['a link to an agent that is no name', 'share-link', { ...link, agent: ['A'] }, 'agent[0]'],
    ['a link without a workspace', 'share-link', { agent: ['fix'], account: 'ada' }, 'workspace'],
    ['a hook without a URL', 'integration', {}, 'url'],
    ['a hook to a file', 'integration', { url: 'file:///etc/passwd' }, 'url'],
    ['a hook for no event', 'integration', { ...hook, events: [] }, 'events'],
    ['a hook of another type', 'integration', { ...hook, type: 'pigeon' }, 'type'],
    ['a limit below 0', 'quota', { liveAgents: -1 }, 'liveAgents'],
    ['a backend without models', 'backend', { models: [], defaultModel: 'x' }, 'models'],
    ['a default model of another backend', 'backend', { models: ['a-*'], defaultModel: 'b' }, 'defaultModel'],
    [
      'a negative price',
      'backend',
      { models: ['*'], defaultModel: 'x', prices: [{ model: '*', input: -1 }] },
      'prices[0].input',
    ],
  ])('is refused for %s', async (_rule, kind, document, field) => {
    const answer = await tenant.admin.write(kind, 'ruled', document)
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
    expect(answer.fields).toContain(field)
    expect((await tenant.admin.read(kind, 'ruled')).status).toBe(404)
  })

  test('cannot undo a revocation', async () => {
    for (const [kind, document] of [
      ['token', token],
      ['share-link', link],
    ] as const) {
      await tenant.admin.write(kind, 'final', { ...document, revoked: true })
      const answer = await tenant.admin.write(kind, 'final', document)
      expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['revoked'] })
    }
  })

  test('cannot lower a key version', async () => {
    for (const [kind, document] of [
      ['token', token],
      ['integration', hook],
    ] as const) {
      await tenant.admin.write(kind, 'version', { ...document, keyVersion: 3 })
      const answer = await tenant.admin.write(kind, 'version', { ...document, keyVersion: 2 })
      expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['keyVersion'] })
    }
  })

  test('with a hostile model pattern is rejected immediately', async () => {
    const startedAt = performance.now()
    const hostile = { models: [`${'*a'.repeat(100)}x`], defaultModel: 'a'.repeat(255) }
    const answer = await tenant.admin.write('backend', 'hostile', hostile)
    expect(answer).toMatchObject({ status: 400, fields: ['defaultModel'] })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test.each([
    ['*', 'anything'],
    ['claude-*', 'claude-'],
    ['*-mini*', 'gpt-5-mini-2026'],
    ['a*b*c', 'a-b-b-c'],
    ['exact', 'exact'],
  ])('may name a default model where %s matches %s', async (pattern, defaultModel) => {
    const answer = await tenant.admin.write('backend', 'matching', { models: [pattern], defaultModel })
    expect(answer.status).toBe(200)
  })

  test.each([
    ['claude-*', 'claude'],
    ['*-mini', 'gpt-mini-5'],
    ['ab*ba', 'aba'],
    ['a*b*c', 'a-c-b'],
    ['exact', 'exactly'],
    ['a.c', 'abc'],
  ])('may not name a default model where %s does not match %s', async (pattern, defaultModel) => {
    const answer = await tenant.admin.write('backend', 'unmatched', { models: [pattern], defaultModel })
    expect(answer).toMatchObject({ status: 400, fields: ['defaultModel'] })
  })
})

describe('a reference', () => {
  const link = { workspace: 'shop', agent: ['fix'], account: 'ada' }
  const profile = 'PROVIDER_SERVICE_PROFILE'
  test.each<Case>([
    ['an environment', 'workspace', { environment: 'nowhere' }, 'environment'],
    ['a persona', 'workspace', { persona: 'nobody' }, 'persona'],
    ['a pool', 'workspace', { pool: 'empty' }, 'pool'],
    ['a secret', 'environment', { secrets: { TOKEN: 'lost' } }, 'secrets.TOKEN'],
    ['a machine', 'pool', { vmProfile: 'huge' }, 'vmProfile'],
    ['a pool of a runner', 'token', { account: 'r', role: 'runner', pools: ['default', 'dry'] }, 'pools[1]'],
    [
      'the profile of a token',
      'token',
      { account: 'bot', ownerProvider: profile, role: 'member' },
      'account',
    ],
    ['the workspace of a link', 'share-link', { ...link, workspace: 'closed' }, 'workspace'],
    ['the profile of a link', 'share-link', { ...link, account: 'bot', ownerProvider: profile }, 'account'],
  ])('to %s that does not exist is refused', async (_target, kind, document, field) => {
    const answer = await tenant.admin.write(kind, 'referrer', document)
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: [field] })
  })

  test('to a built-in is good', async () => {
    const document = { environment: 'default', persona: 'default', pool: 'default' }
    expect((await tenant.admin.write('workspace', 'built-in', document)).status).toBe(200)
  })

  test('to a resource of another tenant is as bad as to none', async () => {
    await rival.admin.write('persona', 'theirs', {})
    const answer = await tenant.admin.write('workspace', 'thief', { persona: 'theirs' })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['persona'] })
  })

  test('to a deleted resource is as bad as to none', async () => {
    await tenant.admin.write('persona', 'gone', {})
    await tenant.admin.delete('/v1/catalog/persona/gone')
    const answer = await tenant.admin.write('workspace', 'late', { persona: 'gone' })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['persona'] })
  })

  test('among a hundred thousand is refused without using up the database’s locks', async () => {
    const pools = Array.from({ length: 100_000 }, (_, index) => `pool-${index}`)
    const answer = await tenant.admin.write('token', 'flood', { account: 'r', role: 'runner', pools })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
  })
})

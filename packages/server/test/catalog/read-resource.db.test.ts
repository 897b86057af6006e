import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('persona', 'reviewer', { prompt: 'Review.' })
  await rival.admin.write('persona', 'hidden', { prompt: 'Theirs.' })
})

afterAll(() => server.close())

describe('a resource that exists', () => {
  test('is read with its generation, every field and what the service records', async () => {
    const { status, body, document } = await acme.admin.read('persona', 'reviewer')
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'persona', inputFormat: 'INPUT_FORMAT_MARKDOWN', generation: '1' })
    expect(document).toEqual({
      description: '',
      prompt: 'Review.',
      model: '',
      reasoningEffort: '',
      serviceTier: '',
      fastMode: false,
      outputSchema: '',
      tasks: [],
      metadata: {
        name: 'reviewer',
        createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        updateTime: expect.stringMatching(/Z$/) as string,
        updatedBy: 'ada',
        generation: '1',
      },
    })
  })

  test('is read by its own tenant, named or not, in part or in full', async () => {
    const plain = await acme.admin.read('persona', 'reviewer')
    expect(plain.status).toBe(200)
    const queries = [
      acme.query,
      { 'ref.tenant.org': 'acme' },
      { 'ref.tenant.provider': 'PROVIDER_UNSPECIFIED', 'ref.tenant.org': '' },
    ]
    for (const query of queries) {
      expectSameAnswer(await acme.admin.read('persona', 'reviewer', { query }), plain)
    }
  })

  test.each(['viewer', 'member', 'admin'] as const)('is open to a %s', async (role) => {
    expect((await (await acme.as(role)).read('persona', 'reviewer')).status).toBe(200)
  })

  test('is closed to a runner', async () => {
    const answer = await (await acme.as('runner')).read('persona', 'reviewer')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('is open to an operator of another tenant', async () => {
    const answer = await acme.operator.read('persona', 'hidden', { query: rival.query })
    expect(answer).toMatchObject({ status: 200, document: { prompt: 'Theirs.' } })
  })
})

describe('a built-in', () => {
  test('is read with generation 0', async () => {
    const { status, body, document } = await acme.admin.read('backend', 'a')
    expect(status).toBe(200)
    expect(body['generation']).toBe('0')
    expect(document['models']).toContain('claude-*')
  })

  test('comes back when the resource that shadows it is deleted', async () => {
    await acme.admin.write('quota', 'default', { liveAgents: 3 })
    expect((await acme.admin.read('quota', 'default')).document).toMatchObject({ liveAgents: 3 })
    await acme.admin.delete('/v1/catalog/quota/default')
    const { body, document } = await acme.admin.read('quota', 'default')
    expect(body['generation']).toBe('0')
    expect(document).toMatchObject({ liveAgents: 100_000 })
  })
})

describe('a request that is not valid', () => {
  const longName = 'a'.repeat(64)
  test.each([
    ['a kind that is no name', '/v1/catalog/Persona/x', ['ref.kind']],
    ['a name that is no name', '/v1/catalog/persona/-x', ['ref.name']],
    ['a name that is too long', `/v1/catalog/persona/${longName}`, ['ref.name']],
    ['no name', '/v1/catalog/persona/', ['ref.name']],
    ['an unknown provider', '/v1/catalog/persona/x?ref.tenant.provider=ACME', ['ref.tenant.provider']],
    [
      'an org that is too long',
      `/v1/catalog/persona/x?ref.tenant.org=${'o'.repeat(256)}`,
      ['ref.tenant.org'],
    ],
    ['an org with a NUL', '/v1/catalog/persona/x?ref.tenant.org=a%00', ['ref.tenant.org']],
    [
      'a parameter given twice',
      '/v1/catalog/persona/x?ref.tenant.org=a&ref.tenant.org=b',
      ['ref.tenant.org'],
    ],
    ['an unknown parameter', '/v1/catalog/persona/x?tenant=acme', ['tenant']],
    ['several mistakes at once', '/v1/catalog/Persona/-x?tenant=acme', ['ref.kind', 'ref.name', 'tenant']],
  ])('is refused: %s', async (_case, path, fields) => {
    const answer = await acme.operator.get(path)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', body: { code: 3 } })
    expect(answer.fields).toEqual(fields)
  })
})

describe('a resource that does not exist', () => {
  test('is not found', async () => {
    const answer = await acme.admin.read('persona', 'nobody')
    expect(answer).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', body: { code: 5 } })
  })

  test('is not found either once it was deleted', async () => {
    await acme.admin.write('persona', 'gone', {})
    await acme.admin.delete('/v1/catalog/persona/gone')
    expect(await acme.admin.read('persona', 'gone')).toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
  })

  test('has a kind that exists, or the answer lists those that do', async () => {
    const answer = await acme.admin.read('robot', 'r2')
    expect(answer).toMatchObject({ status: 404, reason: 'KIND_UNKNOWN' })
    expect(answer.text).toContain('vm-profile')
  })

  test('is indistinguishable from one of another tenant', async () => {
    const missing = await acme.admin.read('persona', 'hidden')
    expect(missing.status).toBe(404)
    expectSameAnswer(await acme.admin.read('persona', 'hidden', { query: rival.query }), missing)
    const nowhere = { 'ref.tenant.org': 'no-such-org' }
    expectSameAnswer(await acme.admin.read('persona', 'hidden', { query: nowhere }), missing)
    expectSameAnswer(await acme.operator.read('persona', 'hidden', { query: nowhere }), missing)
  })
})

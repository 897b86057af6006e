import { parseKey } from '@skein/contract/facts'
import { startTestServer, type TestAnswer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dumpDatabase } from '../database-dump.ts'

let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ settings: { SKEIN_LOG_LEVEL: 'trace' } })
  tenant = await server.createTenant('acme')
  await tenant.admin.write('workspace', 'shop', {})
  await tenant.admin.write('profile', 'night', {})
})

afterAll(() => server.close())

interface SecretKind {
  readonly kind: string
  readonly document: Record<string, unknown>
  /** What changes without touching the secret. */
  readonly change: Record<string, unknown>
  /** The field that carries the secret once. */
  readonly field: string
}

const KINDS: readonly SecretKind[] = [
  { kind: 'token', document: { account: 'ci', role: 'viewer' }, change: { account: 'cd' }, field: 'key' },
  {
    kind: 'share-link',
    document: { workspace: 'shop', agent: ['fix'], account: 'ada' },
    change: { account: 'bob' },
    field: 'key',
  },
  {
    kind: 'integration',
    document: { url: 'https://hooks.example.com/a' },
    change: { url: 'https://hooks.example.com/b' },
    field: 'signingKey',
  },
  {
    kind: 'trigger',
    document: { profile: 'night', workspace: 'shop', spawn: { description: 'Look.' } },
    change: { paused: true },
    field: 'key',
  },
]

/** Everything a caller can ever read about a resource, and a failed write of it, as it was sent. */
async function everyAnswerAbout(kind: string, name: string): Promise<TestAnswer[]> {
  const path = `/v1/catalog/${kind}/${name}`
  return [
    await tenant.admin.get(path),
    await tenant.admin.get(`/v1/catalog/${kind}`),
    await tenant.admin.get(`${path}/history`),
    await tenant.admin.get('/v1/audit'),
    await tenant.admin.get('/v1/catalog'),
    await tenant.operator.get(path, { query: tenant.query }),
    await tenant.admin.write(kind, name, { colour: 'blue' }),
    await tenant.admin.write(kind, name, {}, { ifGenerationMatch: '77' }),
  ]
}

/** The text with everything decoded that may be base64: a secret in a payload is no less told. */
function readable(text: string): string {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{24,}={0,2}/g)].map(([run]) =>
    Buffer.from(run, 'base64').toString(),
  )
  return [text, ...decoded].join('\n')
}

/** Each spelling in which a secret could lie about. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [secret, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
}

/** The part of a key that is secret: its id is public. */
const secretPartOf = (secret: string) => parseKey(secret)?.secret ?? secret.replace('whsec_', '')

async function expectNowhere(secret: string, answers: readonly TestAnswer[]): Promise<void> {
  const places = {
    answers: readable(answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n')),
    logs: readable(server.logLines.join('\n')),
    database: readable(await dumpDatabase(server.database)),
  }
  const found = Object.entries(places).filter(([, text]) =>
    spellingsOf(secret).some((spelling) => text.includes(spelling)),
  )
  expect(found.map(([place]) => place)).toEqual([])
}

describe.each(KINDS)('the one-time secret of a $kind', ({ kind, document, change, field }) => {
  test('is in the response to the write that created it, and nowhere else', async () => {
    const created = await tenant.admin.write(kind, 'told-once', document)
    expect(created.status).toBe(200)
    const secret = secretPartOf(String(created.document[field]))
    expect(secret.length).toBeGreaterThan(40)
    const updated = await tenant.admin.write(kind, 'told-once', { ...document, ...change })
    const patched = await tenant.admin.write(
      kind,
      'told-once',
      { description: 'x' },
      { updateMask: `description,${field}` },
    )
    expect([updated.status, patched.status]).toEqual([200, 200])
    const answers = await everyAnswerAbout(kind, 'told-once')
    const deleted = await tenant.admin.delete(`/v1/catalog/${kind}/told-once`)
    await expectNowhere(secret, [updated, patched, ...answers, deleted])
  })

  test('is not recorded for a retry', async () => {
    const options = { headers: { 'idempotency-key': `create-${kind}` } }
    const first = await tenant.admin.write(kind, 'retried', document, {}, options)
    const retried = await tenant.admin.write(kind, 'retried', document, {}, options)
    expect(retried.headers['idempotent-replay']).toBe('true')
    await expectNowhere(secretPartOf(String(first.document[field])), [retried])
  })

  test('is never taken from a caller', async () => {
    const theirs = 'chosen-by-the-caller-0123456789abcdef'
    const answer = await tenant.admin.write(kind, 'chosen', { ...document, [field]: theirs })
    expect(answer.status).toBe(200)
    await expectNowhere(theirs, [answer, ...(await everyAnswerAbout(kind, 'chosen'))])
  })
})

async function sealedValue(name: string): Promise<string | undefined> {
  const lines = (await dumpDatabase(server.database)).split('\n')
  const matching = lines.filter((line) => line.includes(`,secret,${name},`) && line.includes(',v1.'))
  expect(matching.length).toBeLessThanOrEqual(1)
  return matching[0]
}

describe('the value of a secret', () => {
  const value = 'correct-horse-battery-staple-0123456789'

  test('is in no answer and nowhere in logs or database, first value and second', async () => {
    const answers = [
      await tenant.admin.write('secret', 'npm', { value }),
      await tenant.admin.write('secret', 'npm', { description: 'Kept.' }),
      await tenant.admin.write('secret', 'npm', { value: `${value}-new` }, { updateMask: 'value' }),
      ...(await everyAnswerAbout('secret', 'npm')),
      await tenant.admin.write('secret', 'npm', { value, colour: 'blue' }),
      await tenant.admin.post('/v1/catalog/secret/npm', {
        payload: Buffer.from(`{"value":"${'x'.repeat(70_000)}"}`).toString('base64'),
      }),
      await tenant.admin.delete('/v1/catalog/secret/npm'),
    ]
    expect(answers[0]?.status).toBe(200)
    await expectNowhere(value, answers)
  })

  test('is kept when a later write leaves it out', async () => {
    await tenant.admin.write('secret', 'kept', { value })
    const before = await sealedValue('kept')
    expect(before).toBeDefined()
    expect((await tenant.admin.write('secret', 'kept', { description: 'x' })).status).toBe(200)
    expect(await sealedValue('kept')).toBe(before)
  })

  test('does not outlive its replacement or its resource', async () => {
    await tenant.admin.write('secret', 'replaced', { value })
    const before = await sealedValue('replaced')
    await tenant.admin.write('secret', 'replaced', { value })
    expect(await sealedValue('replaced')).not.toBe(before)
    await tenant.admin.delete('/v1/catalog/secret/replaced')
    expect(await sealedValue('replaced')).toBeUndefined()
  })
})

test('the search itself finds a secret that is reported', async () => {
  const created = await tenant.admin.write('token', 'control', { account: 'ci', role: 'viewer' })
  const secret = secretPartOf(String(created.document['key']))
  await expect(expectNowhere(secret, [created])).rejects.toThrow(/deeply equal/)
  const keyed = { headers: { 'idempotency-key': 'control' } }
  await tenant.admin.write('persona', 'control', { prompt: secret }, {}, keyed)
  const recorded = (await dumpDatabase(server.database))
    .split('\n')
    .filter((line) => line.includes('payload'))
  expect(readable(recorded.join('\n'))).toContain(secret)
})

test('an API key that is used is in no log line, valid or not', async () => {
  const { document } = await tenant.admin.write('token', 'used', { account: 'ci', role: 'viewer' })
  const key = String(document['key'])
  await tenant.client(key).get('/v1/whoami')
  await tenant.client(key.slice(0, -1)).get('/v1/whoami')
  await tenant.client(key).post('/v1/catalog/persona/x', '{')
  await tenant.client(key).get('/v1/nowhere')
  const logs = server.logLines.join('\n')
  expect(logs).toContain('"token":"used"')
  expect(logs).not.toContain(key.slice(0, -1))
})

test('a query string is in no log line', async () => {
  await tenant.admin.delete('/v1/catalog/persona/x?justification=a-private-matter')
  expect(server.logLines.join('\n')).not.toContain('a-private-matter')
})

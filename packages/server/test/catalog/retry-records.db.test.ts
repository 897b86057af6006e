import { createHash, randomBytes } from 'node:crypto'
import { encodeBase64Text } from '@skein/contract'
import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const OLD_KEY = randomBytes(32).toString('base64')
const NEW_KEY = randomBytes(32).toString('base64')
let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ settings: { SKEIN_MASTER_KEY: OLD_KEY } })
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const bodyOf = (value: string) => ({ payload: encodeBase64Text(JSON.stringify({ value })) })
const retryable = (key: string) => ({ headers: { 'idempotency-key': key } })

/** As a stolen backup shows them. */
async function storedDigests(): Promise<string[]> {
  const owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query<{ digest: string }>(
    `select encode(request_sha256, 'hex') as digest from command`,
  )
  await owner.end()
  return rows.map(({ digest }) => digest)
}

describe('the retry record of a secret’s write', () => {
  test('does not let a thief test guesses: the digest cannot be computed without the master key', async () => {
    const before = await storedDigests()
    const answer = await tenant.admin.post('/v1/catalog/secret/pin', bodyOf('1234'), retryable('pin'))
    expect(answer.status).toBe(200)
    const stored = await storedDigests()
    expect(stored).toHaveLength(before.length + 1)
    const body = bodyOf('1234')
    const guesses = [{ query: {}, body }, body, body.payload, '1234'].map((guess) =>
      createHash('sha256').update(JSON.stringify(guess)).digest('hex'),
    )
    for (const guess of guesses) expect(stored).not.toContain(guess)
  })

  test('still distinguishes the same request from another one', async () => {
    const replay = await tenant.admin.post('/v1/catalog/secret/pin', bodyOf('1234'), retryable('pin'))
    expect(replay.headers['idempotent-replay']).toBe('true')
    const other = await tenant.admin.post('/v1/catalog/secret/pin', bodyOf('4321'), retryable('pin'))
    expect(other.reason).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('is recognised by a server that has a newer master key in addition to the old one', async () => {
    const rotated = await startTestServer({
      database: server.database,
      settings: { SKEIN_MASTER_KEY: `${NEW_KEY},${OLD_KEY}` },
    })
    const { headers, reason } = await rotated.anonymous.post('/v1/catalog/secret/pin', bodyOf('1234'), {
      headers: { ...retryable('pin').headers, authorization: `Bearer ${tenant.admin.key}` },
    })
    await rotated.close()
    expect(reason).toBeUndefined()
    expect(headers['idempotent-replay']).toBe('true')
  })
})

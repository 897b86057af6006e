import { createTestDatabase, machineNow, waitFor, type TestDatabase } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send, writeDocument } from './http.ts'
import { endProcesses, startServer } from './skein-process.ts'

const LIMIT_MS = 5_000
/** Longer than any limit, so that the test sees how long a key keeps working. */
const PATIENCE_MS = 15_000

let database: TestDatabase
let admin: string

beforeAll(async () => {
  database = await createTestDatabase()
  admin = (await bootstrapTenant(database.ownerUrl)).key
})

afterEach(endProcesses)
afterAll(() => database.drop())

type End = 'revoked' | 'deleted' | 'rotated' | 'expired'

async function end(url: string, name: string, how: End): Promise<number> {
  const path = `token/${name}`
  if (how === 'deleted')
    return (await send(`${url}/v1/catalog/${path}`, { method: 'DELETE', key: admin })).status
  const change = {
    revoked: { revoked: true },
    rotated: { keyVersion: 2 },
    expired: { expireTime: new Date().toISOString() },
  }[how]
  const updateMask = Object.keys(change).join()
  const { answer } = await writeDocument(url, admin, path, change, { updateMask })
  return answer.status
}

describe('a key that ends on one server', () => {
  test.each(['revoked', 'deleted', 'rotated', 'expired'] as const)(
    'because its token is %s stops working within 5 s on another one that has just seen it',
    async (how) => {
      const [first, second] = await Promise.all([
        startServer({ SKEIN_DATABASE_URL: database.serverUrl }),
        startServer({ SKEIN_DATABASE_URL: database.serverUrl }),
      ])
      const name = `token-${how}`
      const { document } = await writeDocument(first.url, admin, `token/${name}`, {
        account: 'ci',
        role: 'viewer',
      })
      const key = String(document['key'])
      const statusOnSecond = async () => (await send(`${second.url}/v1/whoami`, { key })).status
      expect(await statusOnSecond()).toBe(200)

      expect(await end(first.url, name, how)).toBe(200)
      const endedAt = machineNow()
      // Asks all the time: use must not keep a key alive.
      await waitFor(async () => (await statusOnSecond()) === 401, {
        what: 'the second server to refuse the key',
        timeoutMs: PATIENCE_MS,
      })
      const tookMs = machineNow() - endedAt
      console.log(
        `the key of a token that was ${how} was refused by a second server after ${Math.round(tookMs)} ms`,
      )
      expect(tookMs).toBeLessThan(LIMIT_MS)
    },
  )
})

import { formatKey, formatKeyId, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import { Database } from '@skein/store'
import { startTestServer, TestClock, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../src/index.ts'

/** The real database, which counts how often it is asked. */
class CountingDatabase extends Database {
  lookups = 0

  override get urgent(): Database {
    return this
  }

  override async statement<Result>(
    ...[work]: Parameters<typeof Database.prototype.statement<Result>>
  ): Promise<Result> {
    this.lookups += 1
    return super.statement(work)
  }
}

const clock = new TestClock(Date.UTC(2026, 10, 15))
let server: TestServer
let tenant: TestTenant
let database: CountingDatabase
let authenticator: Authenticator

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant('acme')
  database = new CountingDatabase({
    connectionString: server.database.serverUrl,
    maxConnections: 2,
    applicationName: 'test',
  })
})

beforeEach(() => {
  authenticator = new Authenticator({ ...server.engine, database })
  database.lookups = 0
})

afterAll(async () => {
  await database.close()
  await server.close()
})

const seen = { address: '203.0.113.9', requestId: 'r1' }
const bytes = (length: number) => new Uint8Array(length).fill(7)

async function newKey(name: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { document } = await tenant.admin.write('token', name, { account: 'ci', role: 'member', ...fields })
  return String(document['key'])
}

async function newLink(name: string): Promise<{ key: string; disguised: string }> {
  const link = { workspace: 'default', agent: ['shown'], account: 'ada' }
  const { document } = await tenant.admin.write('share-link', name, link)
  const key = String(document['key'])
  const { keyId = '', secret = '' } = parseKey(key) ?? {}
  const random = Buffer.from(secret.slice(0, 43), 'base64url')
  return { key, disguised: formatKey(KEY_PREFIXES.apiKey, keyId, random) }
}

describe('a key', () => {
  test('stands for the caller of its token', async () => {
    const expireTime = '2027-01-01T00:00:00.000Z'
    const key = await newKey('runner', { role: 'runner', pools: ['default'], expireTime })
    expect(await authenticator.authenticate(key, seen)).toMatchObject({
      tenantId: tenant.id,
      tenant: tenant.tenant,
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ci',
      role: 'runner',
      token: 'runner',
      pools: ['default'],
      expiresAt: Date.parse(expireTime),
    })
  })

  test('is looked up once and remembered, but for less than 5 seconds', async () => {
    const key = await newKey('remembered')
    for (let use = 0; use < 10; use++) await authenticator.authenticate(key, seen)
    expect(database.lookups).toBe(1)
    const startedAt = performance.now()
    await waitFor(
      async () => {
        await authenticator.authenticate(key, seen)
        return database.lookups === 2
      },
      { what: 'the second lookup', timeoutMs: 5_000 },
    )
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('is looked up once for all requests that arrive at the same time', async () => {
    const key = await newKey('crowded')
    const callers = await Promise.all(Array.from({ length: 20 }, () => authenticator.authenticate(key, seen)))
    expect(callers.every((caller) => caller?.token === 'crowded')).toBe(true)
    expect(database.lookups).toBe(1)
  })

  test('that expires while it is remembered is refused all the same', async () => {
    const key = await newKey('expiring', { expireTime: new Date(clock.now() + 1000).toISOString() })
    expect(await authenticator.authenticate(key, seen)).toBeDefined()
    clock.advance(1000)
    expect(await authenticator.authenticate(key, seen)).toBeUndefined()
    expect(database.lookups).toBe(1)
  })
})

describe('a share link that is sent as an API key', () => {
  const guest = { role: 'guest', within: { account: 'ada', path: ['shown'] } }

  test('is refused, and does not widen what the link itself stands for', async () => {
    const { key, disguised } = await newLink('before')
    expect(await authenticator.authenticate(disguised, seen)).toBeUndefined()
    expect(await authenticator.authenticate(key, seen)).toMatchObject(guest)
  })

  test('is refused after the link itself was accepted, which is looked up each time', async () => {
    const { key, disguised } = await newLink('after')
    expect(await authenticator.authenticate(key, seen)).toMatchObject(guest)
    expect(await authenticator.authenticate(disguised, seen)).toBeUndefined()
    expect(database.lookups).toBe(2)
    expect(await authenticator.authenticate(key, seen)).toMatchObject(guest)
    expect(database.lookups).toBe(3)
  })
})

describe('a wrong secret and an unknown key id', () => {
  test('each cost one look into the database, every time', async () => {
    const key = await newKey('guessed')
    const wrongSecret = formatKey(KEY_PREFIXES.apiKey, parseKey(key)?.keyId ?? '', bytes(32))
    const unknownId = formatKey(KEY_PREFIXES.apiKey, formatKeyId('c1', bytes(16)), bytes(32))
    for (const guess of [wrongSecret, unknownId, wrongSecret, unknownId]) {
      const before = database.lookups
      expect(await authenticator.authenticate(guess, seen)).toBeUndefined()
      expect(database.lookups - before).toBe(1)
    }
  })

  test('cost the same while the right key is remembered, and do not push it out', async () => {
    const key = await newKey('attacked')
    await authenticator.authenticate(key, seen)
    const wrongSecret = formatKey(KEY_PREFIXES.apiKey, parseKey(key)?.keyId ?? '', bytes(32))
    expect(await authenticator.authenticate(wrongSecret, seen)).toBeUndefined()
    expect(database.lookups).toBe(2)
    expect(await authenticator.authenticate(key, seen)).toBeDefined()
    expect(database.lookups).toBe(2)
  })
})

test.each(['', 'skn_', 'nonsense', 'skn_abc.def'])('%j is seen to be no key without asking', async (text) => {
  expect(await authenticator.authenticate(text, seen)).toBeUndefined()
  expect(database.lookups).toBe(0)
})

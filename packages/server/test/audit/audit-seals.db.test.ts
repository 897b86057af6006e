import { sealAudit, verifyAudit, Vault, type EngineResources } from '@skein/engine'
import { Database, removeExpired } from '@skein/store'
import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const START = Date.UTC(2026, 10, 17, 9)
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const RETENTION_DAYS = 400

const clock = new TestClock(START)
let server: TestServer
let owner: Client
let asOwner: EngineResources
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  const database = new Database({
    connectionString: server.database.ownerUrl,
    maxConnections: 2,
    applicationName: 'audit test',
  })
  asOwner = { ...server.engine, database }
})

afterAll(async () => {
  await asOwner.database.close()
  await owner.end()
  await server.close()
})

/** Four spans: acme acts, both act, only rival acts, acme acts again. */
beforeEach(async () => {
  await owner.query('delete from audit_seal')
  await owner.query('delete from audit')
  acme = await server.createTenant()
  rival = await server.createTenant()
  await owner.query('delete from audit')
  await owner.query('update audit_position set begun_at = $1, sealed_until = $1', [new Date(clock.now())])
  for (const [names, isRivalToo] of [
    [['a', 'b'], false],
    [['c'], true],
    [[], true],
    [['d', 'e', 'f'], false],
  ] as const) {
    for (const name of names) await acme.admin.write('persona', name, {})
    if (isRivalToo) await rival.admin.write('persona', `x${clock.now()}`, {})
    clock.advance(10 * MINUTE_MS)
    await sealAudit(server.engine)
  }
})

async function verify(engine = asOwner): Promise<Record<string, readonly string[]>> {
  const logs = await Array.fromAsync(verifyAudit(engine, RETENTION_DAYS))
  return Object.fromEntries(
    logs.map(({ org, problems }) => [org === acme.tenant.org ? 'acme' : 'rival', problems]),
  )
}

test('a log that nobody touched matches its seals', async () => {
  expect(await sealAudit(server.engine)).toBe(false)
  expect(await verify()).toEqual({ acme: [], rival: [] })
  const { rows } = await owner.query(
    'select tenant_id = $1 as acme, number::int, entries from audit_seal order by 1 desc, 2',
    [acme.id],
  )
  expect(rows).toEqual([
    { acme: true, number: 1, entries: 2 },
    { acme: true, number: 2, entries: 1 },
    { acme: true, number: 3, entries: 3 },
    { acme: false, number: 1, entries: 1 },
    { acme: false, number: 2, entries: 1 },
  ])
})

test.each([
  ['removed', `delete from audit where tenant_id = $1 and name = 'e'`, /Seal 3, .*: 1 entry was removed/],
  [
    'changed',
    `update audit set account = 'innocent' where tenant_id = $1 and name = 'c'`,
    /Seal 2, .*: an entry was changed/,
  ],
  [
    'moved to another time',
    `update audit set created_at = created_at - interval '10 minutes' where tenant_id = $1 and name = 'c'`,
    /Seal 1, .*: 1 entry was added/,
  ],
  [
    'added where nothing had happened',
    `insert into audit select tenant_id, gen_random_uuid(), created_at + interval '10 minutes', operation, kind, name,
       generation, owner_provider, account, role, token, justification, request_id
     from audit where tenant_id = $1 and name = 'c'`,
    /1 entry was added to times/,
  ],
  [
    'changed, with all seals of the log deleted',
    `with gone as (delete from audit_seal where tenant_id = $1)
     update audit set account = 'innocent' where tenant_id = $1 and name = 'c'`,
    /6 entries were added to times that are sealed, or their seals were removed/,
  ],
  [
    'changed, with its seal moved to expired times',
    `with gone as (delete from audit_seal where tenant_id = $1 and number = 1),
       moved as (update audit_seal set from_at = 'epoch', until_at = 'epoch' where tenant_id = $1 and number = 2)
     update audit set account = 'innocent' where tenant_id = $1 and name = 'c'`,
    /Seal 2, .*: the seal is not ours/,
  ],
  [
    'removed together with its seal',
    `with gone as (delete from audit_seal where tenant_id = $1 and number = 2)
     delete from audit where tenant_id = $1 and name = 'c'`,
    /Seal 3, .*: seals 2 to 2 are missing/,
  ],
  [
    'removed, and its seal made to fit without the master key',
    `with gone as (delete from audit where tenant_id = $1 and name = 'c')
     update audit_seal set entries = 0, digest = '' where tenant_id = $1 and number = 2`,
    /Seal 2, .*: the seal is not ours/,
  ],
])('an entry that was %s shows', async (_, sql, problem) => {
  await owner.query(sql, [acme.id])
  const { acme: problems = [], rival: others } = await verify()
  expect(problems.join('\n')).toMatch(problem)
  expect(others).toEqual([])
})

test('servers that seal at once make one seal', async () => {
  await acme.admin.write('persona', 'g', {})
  clock.advance(10 * MINUTE_MS)
  const sealed = await Promise.all(Array.from({ length: 8 }, () => sealAudit(server.engine)))
  expect(sealed.filter(Boolean)).toHaveLength(1)
  expect(await verify()).toEqual({ acme: [], rival: [] })
})

test('a server has no way to change what is sealed, or to see the seals of others', async () => {
  for (const sql of ['select from audit_seal', 'delete from audit_seal', 'delete from audit'])
    await expect(
      server.engine.database.forTenant(acme.id, (transaction) => transaction.query(sql)),
    ).rejects.toThrow('permission denied')
})

test('after a change of the master key, old seals match as long as the old key is there', async () => {
  const old = Buffer.from(server.config.SKEIN_MASTER_KEY, 'base64')
  const both = { ...asOwner, vault: new Vault([Buffer.alloc(32, 7), old]) }
  await acme.admin.write('persona', 'g', {})
  clock.advance(10 * MINUTE_MS)
  await sealAudit({ ...server.engine, vault: both.vault })
  expect(await verify(both)).toEqual({ acme: [], rival: [] })
  expect((await verify())['acme']?.join()).toContain('another master key')
})

test('entries that have expired are not missed, and their seals are deleted except for the last', async () => {
  const now = clock.now()
  clock.advance((RETENTION_DAYS + 70) * DAY_MS)
  while (await sealAudit(server.engine));
  await acme.admin.write('persona', 'g', {})
  clock.advance(10 * MINUTE_MS)
  await sealAudit(server.engine)
  await owner.query('delete from audit where created_at < $1', [new Date(now)])
  expect(await verify()).toEqual({ acme: [], rival: [] })
  const removing = { isStopped: () => false, onError: (error: unknown) => expect.unreachable(String(error)) }
  await removeExpired(server.engine.database, { auditSeals: now + DAY_MS }, removing)
  const { rows } = await owner.query<{ number: number }>(
    'select number::int from audit_seal where tenant_id = $1 order by 1',
    [acme.id],
  )
  expect(rows.map(({ number }) => number)).toEqual([3, 4])
  expect(await verify()).toEqual({ acme: [], rival: [] })
})

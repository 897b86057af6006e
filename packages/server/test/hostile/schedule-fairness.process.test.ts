import { Scheduler } from '@skein/engine'
import { machineNow, startTestServer, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

const CROWD = 10_000
const LIMIT_MS = 2_000

let server: TestServer
let owner: Client
let scheduler: Scheduler

beforeAll(async () => {
  server = await startTestServer()
  owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  scheduler = new Scheduler(server.engine, () => {})
})

afterAll(async () => {
  await scheduler.stop()
  await owner.end()
  await server.close()
})

async function tenantWith(name: string, document: object): Promise<TestTenant> {
  const tenant = await server.createTenant()
  await tenant.admin.write('profile', 'night', {})
  await tenant.admin.write('workspace', 'shop', {})
  const action = { profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }
  const { status } = await tenant.admin.write('schedule', name, { ...action, ...document })
  expect(status).toBe(200)
  return tenant
}

/** As if it had been written so many times, all due in the same second. */
async function copySchedule(tenant: TestTenant, name: string, amount: number): Promise<void> {
  await owner.query(
    `insert into resource (tenant_id, kind, name, generation, document, created_at, updated_at, updated_by)
     select r.tenant_id, r.kind, r.name || '-' || n, r.generation, r.document, r.created_at, r.updated_at, r.updated_by
     from resource r, generate_series(1, $3::int) n where r.tenant_id = $1 and r.kind = 'schedule' and r.name = $2`,
    [tenant.id, name, amount],
  )
  await owner.query(
    `insert into schedule_timer (tenant_id, name, anchored_at, decided_until, due_at)
     select t.tenant_id, t.name || '-' || n, t.anchored_at, t.decided_until, now()
     from schedule_timer t, generate_series(1, $3::int) n where t.tenant_id = $1 and t.name = $2`,
    [tenant.id, name, amount],
  )
  await owner.query('analyze resource, schedule_timer')
}

async function firingsOf({ id }: TestTenant): Promise<number> {
  const { rows } = await owner.query<{ amount: number }>(
    `select count(*)::int as amount from schedule_firing where tenant_id = $1 and outcome = 'started'`,
    [id],
  )
  return rows[0]?.amount ?? 0
}

test('a tenant’s firing is at most two seconds late behind 10,000 of another', async () => {
  const startTime = new Date(Date.now() - 1000).toISOString()
  const crowd = await tenantWith('crowd', { every: '86400s', startTime })
  await owner.query(`update schedule_timer set decided_until = decided_until - interval '1 minute'`)
  await copySchedule(crowd, 'crowd', CROWD - 1)
  const small = await tenantWith('small', { every: '86400s', overlap: 'allow' })
  scheduler.start()
  await waitFor(async () => (await firingsOf(crowd)) > 20, { what: 'firings of the crowd' })
  for (let round = 1; round <= 5; round++) {
    const before = machineNow()
    await small.admin.post('/v1/schedule/small/run', {})
    await waitFor(async () => (await firingsOf(small)) === round, { what: `firing ${round}` })
    expect(machineNow() - before).toBeLessThan(LIMIT_MS)
  }
  // The crowd is still at it, so the others were served in between.
  const done = await firingsOf(crowd)
  console.log(
    `5 firings within ${LIMIT_MS} ms each, while ${done} of ${CROWD} of another tenant were started`,
  )
  expect(done).toBeLessThan(CROWD)
}, 120_000)

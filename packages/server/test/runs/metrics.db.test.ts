import { startTestServer, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { scrape } from '../scrape.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

/** Another server on the same database. */
async function openServer(settings: Readonly<Record<string, string>> = {}) {
  const server = await startTestServer({ database: world.server.database, settings })
  onTestFinished(() => server.close())
  return server
}

/** Totals are counted once for all servers; a test does not wait until it is time for the next count. */
const forgetTotals = () => world.sql(`update pool_totals set counted_at = '-infinity'`)

/** How much these have grown since. */
async function growth(before: ReadonlyMap<string, number>, ...names: readonly string[]) {
  const after = await scrape(world.server)
  return names.map((name) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0))
}

test('runs are counted by how they end, with the time they were queued and took to stop', async () => {
  const before = await scrape(world.server)
  const finished = await world.running('finished')
  await world.complete(finished.run, { reason: 'finished', message: 'Done.' })
  const stopped = await world.running('stopped')
  await world.stop(stopped.agentId, '1')
  await world.complete(stopped.run, { reason: 'interrupted', message: '' })
  expect(
    await growth(
      before,
      'skein_runs_ended_total{reason="finished"}',
      'skein_runs_ended_total{reason="interrupted"}',
      'skein_runs_ended_total{reason="lost"}',
      'skein_run_queue_duration_seconds_count',
      'skein_run_stop_duration_seconds_count',
    ),
  ).toEqual([1, 1, 0, 2, 1])
})

test('retries are counted by cause, and expired leases too', async () => {
  const before = await scrape(world.server)
  const { agentId, run } = await world.running('unlucky')
  const error = { code: 'overloaded', message: 'Later.', isRetryable: true }
  await world.complete(run, { reason: 'failed', error })
  await world.skipBackOff()
  const second = await world.take(agentId)
  await world.complete(second, { reason: 'paused', message: '', retryAfterMs: 0 })
  const third = await world.take(agentId)
  await world.expireLease(third)
  await world.sweep()
  expect(
    await growth(
      before,
      'skein_run_retries_total{cause="failed"}',
      'skein_run_retries_total{cause="paused"}',
      'skein_run_retries_total{cause="lost"}',
      'skein_leases_expired_total',
      'skein_runs_ended_total{reason="failed"}',
    ),
  ).toEqual([1, 1, 1, 1, 0])
  await world.kill(agentId)
})

test('a deferred message is counted with how late it was, and a wake-up with its way through the database', async () => {
  const before = await scrape(world.server)
  const agentId = await world.resting('later')
  await world.queue(agentId, { deliverAt: new Date(Date.now() + 1_000).toISOString() })
  await waitFor(
    async () => {
      await world.sweep()
      const [late = 0] = await growth(before, 'skein_deferred_delivery_lag_seconds_count')
      const [returned = 0] = await growth(before, 'skein_wakeup_lag_seconds_count')
      return late > 0 && returned > 0
    },
    { what: 'the message', timeoutMs: 60_000 },
  )
  expect(await growth(before, 'skein_deferred_delivery_lag_seconds_count')).toEqual([1])
  await world.kill(agentId)
})

test('a queue shows its depth and its oldest run, the same on every server', async () => {
  await forgetTotals()
  const server = await openServer()
  const agents = [await world.spawn('one'), await world.spawn('two')]
  await world.sql(`update run set available_at = now() - interval '1 minute' where not is_leased`)
  const seen = await scrape(server)
  expect(seen.get('skein_runs_queued{pool="default"}')).toBe(2)
  expect(seen.get('skein_runs_queued_oldest_seconds{pool="default"}')).toBeGreaterThanOrEqual(60)
  expect(seen.get('skein_runners_online{pool="default"}')).toBe(1)
  for (const agentId of agents) await world.kill(agentId)
  // Counted by the other one, a moment ago.
  const same = await scrape(await openServer())
  expect(same.get('skein_runs_queued{pool="default"}')).toBe(2)
  await forgetTotals()
  const fresh = await scrape(await openServer())
  expect(fresh.get('skein_runs_queued{pool="default"}')).toBe(0)
  expect(fresh.get('skein_runs_queued_oldest_seconds{pool="default"}')).toBe(0)
})

test('a run that waits for its back-off is not queued yet', async () => {
  const { agentId, run } = await world.running('backing-off')
  await world.complete(run, { reason: 'paused', message: '', retryAfterMs: 60_000 })
  await forgetTotals()
  const seen = await scrape(await openServer())
  expect(seen.get('skein_runs_queued{pool="default"}')).toBe(0)
  await world.kill(agentId)
})

test('ten thousand pools of a tenant are one series, and nothing in it names them', async () => {
  await world.sql(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     select gen_random_uuid(), $1, 'k' || n, 'k' || n, 'flood-' || n, 1, 1, false, now() - interval '1 second'
     from generate_series(1, 10000) n`,
    [world.tenant.id],
  )
  onTestFinished(() => world.sql(`delete from run where pool like 'flood-%'`).then(() => undefined))
  await forgetTotals()
  const seen = await scrape(await openServer({ SKEIN_METRICS_POOLS: 'default,flood-7' }))
  const queues = [...seen].filter(([name]) => name.startsWith('skein_runs_queued{'))
  expect(Object.fromEntries(queues)).toEqual({
    'skein_runs_queued{pool="default"}': 0,
    'skein_runs_queued{pool="flood-7"}': 1,
    'skein_runs_queued{pool="(other)"}': 9_999,
  })
})

test('connections are shown by share', async () => {
  const seen = await scrape(world.server)
  expect(seen.get('skein_database_share_size{share="common"}')).toBe(16)
  expect(seen.get('skein_database_share_size{share="reserved"}')).toBe(4)
  expect(seen.get('skein_database_share_used{share="reserved"}')).toBeGreaterThanOrEqual(0)
})

test('a server that cannot count the queues leaves them out, and still says what it knows', async () => {
  const counting = 'execute on function read_pool_totals(text[], integer, integer, integer)'
  await world.sql(`revoke ${counting} from skein_server`)
  onTestFinished(() => world.sql(`grant ${counting} to skein_server`).then(() => undefined))
  const seen = await scrape(await openServer())
  expect(seen.get('skein_leases_expired_total')).toBe(0)
  expect([...seen.keys()].filter((name) => name.startsWith('skein_runs_queued'))).toEqual([])
})

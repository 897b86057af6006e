import { waitFor } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SegmentWorld } from './segment-world.ts'

let segments: SegmentWorld
let other: Client

beforeAll(async () => {
  segments = await SegmentWorld.start()
})

afterAll(() => segments.close())

beforeEach(async () => {
  other = new Client({ connectionString: segments.world.server.database.ownerUrl })
  await other.connect()
  await other.query('begin')
})

afterEach(() => other.end())

const EVENTS = 80

/** An agent with so many old events. Returns its id in the database. */
async function withEvents(name: string): Promise<string> {
  const { world } = segments
  const id = await segments.idOf(await world.spawn(name))
  await world.sql('delete from timeline where agent_id = $1', [id])
  await world.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, $2, n, now() - interval '100 days', 'ada', '{"type":"run.ended"}' from generate_series(1, ${EVENTS}) n`,
    [world.tenant.id, id],
  )
  return id
}

/** While the other transaction is open, this waits for it, and then ends. */
async function beside(work: () => Promise<unknown>): Promise<void> {
  const done = work()
  await waitFor(
    async () => {
      const { rowCount } = await other.query(
        'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid)) and not granted',
      )
      return (rowCount ?? 0) > 0
    },
    { what: 'the other transaction to be waited for' },
  )
  await other.query('commit')
  await done
}

async function left(id: string): Promise<Record<string, unknown>> {
  const [row] = await segments.world.sql(
    `select (select count(*)::int from agent where id = $1) as agents,
       (select count(*)::int from timeline where agent_id = $1) as events,
       (select count(*)::int from timeline_segment where agent_id = $1) as segments`,
    [id],
  )
  return row ?? {}
}

test('an agent that expires while its events are moved takes all of them with it', async () => {
  const { world } = segments
  const id = await withEvents('expired')
  await world.sql('update agent set is_terminal = true where id = $1', [id])
  for (const table of ['run', 'lease', 'leftover'])
    await world.sql(`delete from ${table} where agent_id = $1`, [id])
  await world.sql(
    `insert into leftover (tenant_id, agent_id, ended_at, is_removed, is_root, claimed_until, pool)
     values ($1, $2, now() - interval '99 days', true, true, '-infinity', 'default')`,
    [world.tenant.id, id],
  )
  const remove = () =>
    world.sql(`select remove_expired_trees(now() - interval '90 days', 20, ${EVENTS - 20})::int as amount`)
  await other.query(`select set_config('skein.tenant', $1, true)`, [world.tenant.id])
  await other.query(
    `select move_events($1, 1, 10, 10, now() - interval '100 days', draft_segment($1, 1, 10, 10, sha256('x')), 10, 10)`,
    [id],
  )
  await beside(remove)
  expect(await left(id)).toEqual({ agents: 1, events: 20, segments: 1 })
  while ((await remove())[0]?.['amount'] !== 0);
  expect(await left(id)).toEqual({ agents: 0, events: 0, segments: 0 })
})

test('two servers that delete the agents of a tenant leave no events of theirs', async () => {
  const { world } = segments
  const id = await withEvents('leaving')
  await world.sql('update tenant set closed_at = now() where id = $1', [world.tenant.id])
  const remove = 'select delete_tenant_agents($1, 100, 50) as amount'
  await other.query(remove, [world.tenant.id])
  await beside(() => world.sql(remove, [world.tenant.id]))
  expect(await left(id)).toEqual({ agents: 1, events: EVENTS - 50, segments: 0 })
  while ((await world.sql(remove, [world.tenant.id]))[0]?.['amount'] !== 0);
  expect(await left(id)).toEqual({ agents: 0, events: 0, segments: 0 })
})

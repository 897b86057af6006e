import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../agents/agent-world.ts'
import { SegmentWorld } from './segment-world.ts'

const AGENTS = 400

let segments: SegmentWorld

beforeAll(async () => {
  segments = await SegmentWorld.start()
})

afterAll(() => segments.close())

async function sizeOf(tables: string): Promise<number> {
  const [row] = await segments.world.sql(
    `select sum(pg_total_relation_size(c.oid))::int as bytes from pg_class c where c.relname ~ $1 and c.relkind = 'r'`,
    [`^(${tables})$`],
  )
  return Number(row?.['bytes'])
}

/** Events of one real life, copied for many agents, all in a month that is over. */
async function fill(eventsEach: number): Promise<void> {
  const { world } = segments
  const { agentId, run } = await world.running(`life-${eventsEach}`)
  must(await world.queue(agentId, { description: 'Then write the tests, and open a pull request.' }))
  await world.complete(run, { reason: 'finished', message: 'It is done: 3 files changed, all tests pass.' })
  await world.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, a.id, n, now() - interval '100 days' + n * interval '1 minute', e.actor, e.event
     from unnest($2::uuid[]) as a(id), generate_series(1, $3::int) as n
     cross join lateral (select t.actor, t.event from timeline t where t.agent_id = $4
       order by t.sequence offset (n - 1) % $5::int limit 1) as e`,
    [
      world.tenant.id,
      Array.from({ length: AGENTS }, () => randomUUID()),
      eventsEach,
      await segments.idOf(agentId),
      (await world.timeline(agentId)).length,
    ],
  )
}

test.each([12, 40, 200])(
  'with %i events for each agent, PostgreSQL needs a tenth of the space for old ones, or less',
  async (eventsEach) => {
    await segments.makeMonths()
    await segments.world.sql('truncate timeline_segment')
    await segments.world.sql('truncate unused_object')
    const empty = {
      months: await sizeOf('timeline_[0-9]{8}'),
      index: await sizeOf('timeline_segment|unused_object'),
    }
    await fill(eventsEach)
    const before = (await sizeOf('timeline_[0-9]{8}')) - empty.months
    await segments.move()
    await segments.world.sql('vacuum full unused_object')
    const after = (await sizeOf('timeline_segment|unused_object')) - empty.index
    expect(before / after).toBeGreaterThan(10)
  },
)

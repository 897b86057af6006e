import { SEGMENT_LIMITS } from '@skein/core'
import { SegmentStore, type Transaction } from '@skein/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SegmentWorld } from './segment-world.ts'

let segments: SegmentWorld

beforeAll(async () => {
  segments = await SegmentWorld.start()
})

afterAll(() => segments.close())

const GIANT = 256 * 1024
const TINY = 40

test('however large events are after small ones, no more of them are in memory than a segment has', async () => {
  const { world } = segments
  const id = await segments.idOf(await world.spawn('giant'))
  await world.sql('delete from timeline where agent_id = $1', [id])
  await world.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, $2, n, now() - interval '100 days', 'ada',
       json_build_object('type', 'x', 'text', repeat('é', case when n > ${TINY} then ${GIANT / 2} else 0 end))
     from generate_series(1, ${TINY + 20}) n`,
    [world.tenant.id, id],
  )
  let most = 0
  const events = await world.server.engine.database.forTenant(world.tenant.id, async (transaction) => {
    const rows: Transaction['rows'] = async (query, values) => {
      const found = await transaction.rows(query, values)
      most = Math.max(most, Buffer.byteLength(JSON.stringify(found)))
      return found
    }
    const watched = Object.assign(Object.create(transaction) as Transaction, { rows })
    return new SegmentStore(watched).oldestEvents(id, SEGMENT_LIMITS)
  })
  const bytes = events.reduce((sum, { event }) => sum + Buffer.byteLength(event), 0)
  expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1))
  expect(bytes).toBeGreaterThan(SEGMENT_LIMITS.bytes - GIANT)
  expect(bytes).toBeLessThan(SEGMENT_LIMITS.bytes + 2 * GIANT)
  expect(most).toBeLessThan(SEGMENT_LIMITS.bytes + 2 * GIANT)
})

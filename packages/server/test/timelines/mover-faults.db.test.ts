import { setTimeout as pause } from 'node:timers/promises'
import { SegmentMover, SegmentObjects, type EngineResources } from '@skein/engine'
import { FileBlobStore, type BlobStore } from '@skein/host/blobs'
import { SegmentWork } from '@skein/store'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { SegmentWorld } from './segment-world.ts'

const AGES = { days: 30, backupDays: 0 }

let segments: SegmentWorld
let engine: EngineResources

beforeAll(async () => {
  segments = await SegmentWorld.start()
  engine = segments.world.server.engine
})

afterAll(() => segments.close())

beforeEach(async () => {
  for (const table of ['timeline', 'timeline_segment', 'unused_object'])
    await segments.world.sql(`delete from ${table}`)
  await segments.world.sql(`update segment_turn set held_until = '-infinity'`)
})

/** An engine of which the blob store does something else. */
function withStore(changes: Partial<BlobStore>): EngineResources {
  const folder = new FileBlobStore(segments.folder)
  const store: BlobStore = {
    put: (key, content) => folder.put(key, content),
    get: (key, signal) => folder.get(key, signal),
    remove: (key) => folder.remove(key),
    mark: (group, name) => folder.mark(group, name),
    unmark: (group, name) => folder.unmark(group, name),
    listMarks: (group) => folder.listMarks(group),
    ...changes,
  }
  return { ...engine, segments: new SegmentObjects(store, 'c1', engine.events) }
}

/** Events of one agent in four months, so four segments. Returns its id in the database. */
async function inFourMonths(name: string): Promise<string> {
  const { world } = segments
  const id = await segments.idOf(await world.spawn(name))
  await world.sql('delete from timeline where agent_id = $1', [id])
  await world.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, $2, n, now() - interval '250 days' + n * interval '31 days', 'ada', '{"type":"run.ended"}'
     from generate_series(1, 4) n`,
    [world.tenant.id, id],
  )
  return id
}

const countOf = async (table: string) => (await segments.world.sql(`select from ${table}`)).length

const takeTurn = () =>
  engine.database.statement((transaction) =>
    new SegmentWork(transaction).takeTurn('00000000-0000-7000-8000-000000000001', 60_000),
  )

test('a store that does not respond does not keep a server from stopping', async () => {
  await inFourMonths('hanging')
  const errors: unknown[] = []
  let isAsked = false
  const hanging = withStore({
    put: () => {
      isAsked = true
      return new Promise(() => undefined)
    },
  })
  const mover = new SegmentMover(hanging, AGES, (error) => errors.push(error))
  mover.start()
  await waitFor(() => isAsked, { what: 'the store to be asked' })
  const startedAt = performance.now()
  await mover.stop()
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(errors).toEqual([])
  // And the next server does not wait for its turn.
  expect(await takeTurn()).toBeDefined()
})

test('a tenant whose agents cannot be asked for keeps no others, no empty month and no object', async () => {
  const { world } = segments
  await inFourMonths('broken')
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  await other.spawn('fine')
  await world.sql(`update timeline set created_at = created_at - interval '100 days' where tenant_id = $1`, [
    other.tenant.id,
  ])
  await world.sql(`insert into unused_object values ('\\xabcd', now() - interval '100 days', false, null)`)
  await world.sql(`create table timeline_19950101 partition of timeline
    for values from ('1995-01-01Z') to ('1995-02-01Z')`)
  const { database } = engine
  const forTenant: typeof database.forTenant = (tenantId, work) =>
    tenantId === world.tenant.id
      ? Promise.reject(new Error('all its connections are in use'))
      : database.forTenant(tenantId, work)
  const broken = Object.assign(Object.create(database) as typeof database, {
    forTenant,
    statement: database.statement.bind(database),
  })
  const errors: unknown[] = []
  await new SegmentMover({ ...engine, database: broken }, AGES, (error) => errors.push(error)).run()
  expect(errors).not.toEqual([])
  expect(await world.sql('select from timeline where tenant_id = $1', [other.tenant.id])).toEqual([])
  expect(await countOf('timeline')).toBe(4)
  expect(await countOf('unused_object')).toBe(0)
  expect(await world.sql(`select from pg_class where relname = 'timeline_19950101'`)).toEqual([])
})

test('a step that the database rejects does not keep the next ones', async () => {
  const { world } = segments
  await world.sql(`insert into unused_object values ('\\xabcd', now() - interval '100 days', false, null)`)
  await world.sql('revoke execute on function find_old_timelines, drop_moved_timelines from skein_server')
  const errors: unknown[] = []
  try {
    await new SegmentMover(engine, AGES, (error) => errors.push(error)).run()
  } finally {
    await world.sql('grant execute on function find_old_timelines, drop_moved_timelines to skein_server')
  }
  expect(errors).toHaveLength(2)
  expect(await countOf('unused_object')).toBe(0)
})

test('a turn is kept for as long as a batch takes', async () => {
  await inFourMonths('slow')
  const folder = new FileBlobStore(segments.folder)
  const others: unknown[] = []
  const slow = withStore({
    put: async (key, content) => {
      await folder.put(key, content)
      await pause(400)
      others.push(await takeTurn())
    },
  })
  const turn = { holdMs: 1_000, renewMs: 100 }
  await new SegmentMover(slow, AGES, (error) => expect.unreachable(String(error)), turn).run()
  expect(others).toEqual([undefined, undefined, undefined, undefined])
  expect(await countOf('timeline')).toBe(0)
})

test('a server whose turn another one has taken moves nothing more', async () => {
  await inFourMonths('overtaken')
  const folder = new FileBlobStore(segments.folder)
  const stalled = withStore({
    put: async (key, content) => {
      await folder.put(key, content)
      await segments.world.sql(`update segment_turn set held_until = '-infinity'`)
      await takeTurn()
    },
  })
  const turn = { holdMs: 1_000, renewMs: 0 }
  await new SegmentMover(stalled, AGES, (error) => expect.unreachable(String(error)), turn).run()
  expect(await countOf('timeline_segment')).toBe(1)
  expect(await countOf('timeline')).toBe(3)
})

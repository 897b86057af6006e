import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentId, TimelineEvent } from '@skein/contract'
import { deleteTenant, exportTenant, readTimeline, SegmentMover, watchAgent } from '@skein/engine'
import { removeExpired, SegmentStore, SegmentWork } from '@skein/store'
import { startTestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openResources } from '../../src/resources.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { SegmentWorld } from './segment-world.ts'

let segments: SegmentWorld

/** Where a folder has an object. */
function hashKey(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex')
  return join(hash.slice(0, 2), hash)
}

beforeAll(async () => {
  segments = await SegmentWorld.start()
})

afterAll(() => segments.close())

/** An agent with about this many events. */
async function busy(name: string, messages = 6): Promise<AgentId> {
  const agentId = await segments.world.spawn(name)
  for (let index = 0; index < messages; index += 1)
    must(await segments.world.queue(agentId, { description: `Message ${index}\n with “quotes” and \u2028.` }))
  return agentId
}

test('wherever the boundary is, and however pages fall, the timeline is the same', async () => {
  const agentId = await busy('boundary')
  const whole = await segments.read(agentId)
  expect(whole.map(({ sequence }) => Number(sequence))).toEqual(whole.map((_, index) => index + 1))
  for (let until = 0; until <= whole.length; until += 1) {
    await segments.age(agentId, until)
    // What is older than before, only the times differ.
    const aged = await segments.read(agentId)
    await segments.move()
    expect(await segments.rows(agentId)).toBe(whole.length - until)
    for (const pageSize of [1, 2, 3, 5, 100]) expect(await segments.read(agentId, pageSize)).toEqual(aged)
    for (let after = 0; after <= whole.length; after += 1)
      expect(await segments.read(agentId, 100, String(after))).toEqual(aged.slice(after))
  }
  expect(await segments.segments(agentId)).toHaveLength(whole.length)
})

test('a watch gives old events, then new ones, without a seam', async () => {
  const agentId = await busy('watched')
  await segments.age(agentId, 4)
  await segments.move()
  const expected = await segments.read(agentId)
  const { tenant, server } = segments.world
  const target = {
    tenantId: tenant.id,
    tenant: tenant.tenant,
    identity: {
      workspace: agentId.workspace,
      ownerProvider: agentId.ownerProvider,
      account: agentId.account,
      path: agentId.agent,
    },
  }
  const stopped = new AbortController()
  const from = { after: 0n, position: 'latest' as const, signal: stopped.signal }
  const seen: TimelineEvent[] = []
  for await (const event of await watchAgent(server.engine, target, from)) {
    seen.push(event)
    if (seen.length === expected.length) {
      // While it is watched, everything it has shown moves, and something new happens.
      await segments.age(agentId)
      await segments.move()
      must(await segments.world.queue(agentId))
    }
    if (seen.length === expected.length + 1) break
  }
  stopped.abort()
  expect(seen.slice(0, -1)).toEqual(expected)
  expect(seen.map(({ sequence }) => Number(sequence))).toEqual(seen.map((_, index) => index + 1))
  const page = await readTimeline(server.engine, target, { after: 2n, limit: 3 }, 'latest')
  expect(page.events.map(({ sequence }) => sequence)).toEqual(['3', '4', '5'])
})

test('a month is dropped when all its events were moved, and metrics say what is left', async () => {
  await segments.makeMonths()
  const months = async () =>
    (await segments.world.sql(`select from pg_class where relname ~ '^timeline_[0-9]{8}$'`)).length
  const oldest = async () => {
    const { text } = await segments.world.server.anonymous.get('/metrics')
    return Number(/^skein_timeline_oldest_unmoved_seconds (.+)$/m.exec(text)?.[1])
  }
  expect(await oldest()).toBe(0)
  const agentId = await busy('counted')
  await segments.age(agentId)
  await segments.hold(agentId, 1)
  await segments.move()
  const held = await months()
  expect(await segments.world.sql('select from segment_turn where oldest_month is not null')).toHaveLength(1)
  await segments.world.sql('delete from lane')
  await segments.move()
  expect(await months()).toBe(held - 1)
  expect(await segments.world.sql('select from segment_turn where oldest_month is not null')).toEqual([])
  // Of a month that was dropped, as after a move of a tenant.
  const returned = await busy('returned')
  await segments.world.sql(`update timeline set created_at = '1999-05-05' where agent_id = $1`, [
    await segments.idOf(returned),
  ])
  await segments.hold(returned, 1)
  await segments.move()
  expect(await segments.world.sql('select oldest_month::date::text as day from segment_turn')).toEqual([
    { day: '1999-05-01' },
  ])
  await segments.world.sql('delete from lane')
  await segments.move()
  expect(await segments.rows(returned)).toBe(0)
  expect(await segments.world.sql('select from segment_turn where oldest_month is not null')).toEqual([])
})

test('while an empty month cannot be dropped, metrics still say what is left in later ones', async () => {
  const { world } = segments
  for (const [from, to] of [
    ['1998-01-01', '1998-02-01'],
    ['1998-02-01', '1998-03-01'],
  ] as const)
    await world.sql(
      `create table timeline_${from.replaceAll('-', '')} partition of timeline for values from ('${from} 00:00Z') to ('${to} 00:00Z')`,
    )
  const agentId = await busy('later')
  await world.sql(`update timeline set created_at = '1998-02-02' where agent_id = $1`, [
    await segments.idOf(agentId),
  ])
  await segments.hold(agentId, 1)
  const reader = new Client({ connectionString: world.server.database.ownerUrl })
  await reader.connect()
  await reader.query('begin; lock table timeline in access share mode')
  await segments.move()
  expect(await world.sql('select oldest_month::date::text as day from segment_turn')).toEqual([
    { day: '1998-02-01' },
  ])
  await reader.end()
  await world.sql('delete from lane')
  await segments.move()
  expect(await world.sql(`select from pg_class where relname ~ '^timeline_1998'`)).toEqual([])
})

test('nobody who writes an event waits for a month that is not to be dropped yet', async () => {
  const { world } = segments
  const names = ['1996', '1997'].map((year) => `timeline_${year}0101`)
  for (const year of [1996, 1997])
    await world.sql(
      `create table timeline_${year}0101 partition of timeline for values from ('${year}-01-01 00:00Z') to ('${year}-02-01 00:00Z')`,
    )
  const writer = new Client({ connectionString: world.server.database.ownerUrl })
  await writer.connect()
  await writer.query(`begin; lock table only timeline_19970101 in row exclusive mode`)
  const isMoved = segments.move().then(() => true)
  const waits: unknown[] = []
  const isWaiting = `select w.pid from pg_locks w join pg_locks h using (pid)
    where not w.granted and h.granted and h.mode = 'AccessExclusiveLock' and h.relation = 'timeline'::regclass`
  while (!(await Promise.race([isMoved, pause(2, false)]))) waits.push(...(await world.sql(isWaiting)))
  expect(waits).toEqual([])
  // The other month does not wait for it either.
  const left = () => world.sql('select relname from pg_class where relname = any($1)', [names])
  expect(await left()).toEqual([{ relname: 'timeline_19970101' }])
  await writer.end()
  await segments.move()
  expect(await left()).toEqual([])
})

test('a server that stalls while it deletes an object cannot delete it after it was made again', async () => {
  const agentId = await busy('made-again')
  await segments.age(agentId)
  const { world } = segments
  const [id, expected] = [await segments.idOf(agentId), await segments.read(agentId)]
  await world.sql('create table saved as select * from timeline where agent_id = $1', [id])
  await segments.move()
  // As when a tenant leaves and comes back.
  const comeBack = async () => {
    await world.sql('insert into timeline select * from saved')
    await world.sql('select remove_segments($1, 100)', [[id]])
  }
  await comeBack()
  const { database, segments: objects } = world.server.engine
  const now = Date.now() + 60_000
  const taken = await database.statement((transaction) =>
    new SegmentWork(transaction).takeUnused({ unusedBefore: now, draftsBefore: now }, 1),
  )
  expect(taken).toHaveLength(1)
  await world.sql(`update unused_object set taken_at = taken_at - interval '11 minutes'`)
  // Another server deletes it, and later the same events are moved again.
  await segments.move({ backupDays: 0 })
  await comeBack()
  await segments.move({ backupDays: 0 })
  await segments.move({ backupDays: 0 })
  expect(await segments.rows(agentId)).toBe(0)
  for (const object of taken) await objects.remove(object)
  await database.statement((transaction) => new SegmentWork(transaction).forgetUnused(taken))
  const other = await startTestServer({
    database: world.server.database,
    settings: { SKEIN_BLOBS: `file:${segments.folder}` },
  })
  try {
    const events: unknown[] = []
    await exportTenant(other.engine, { id: world.tenant.id, tenant: world.tenant.tenant }, async (line) => {
      if ('table' in line && line.table === 'timeline' && Reflect.get(line.row, 'agent_id') === id)
        events.push(line.row)
    })
    expect(events).toHaveLength(expected.length)
  } finally {
    await other.close()
  }
  await world.sql('drop table saved')
})

test('an object that cannot be deleted keeps no other one, and no empty month', async () => {
  const { world } = segments
  await world.sql('delete from unused_object')
  const agents = [await busy('stuck'), await busy('free')]
  const names: string[] = []
  for (const agentId of agents) {
    await segments.age(agentId)
    await segments.move()
    names.push(...(await segments.segments(agentId)).map(({ name }) => String(name)))
    await world.sql('select remove_segments($1, 100)', [[await segments.idOf(agentId)]])
  }
  const [stuck = '', ...others] = names
  const path = join(segments.folder, hashKey(`timelines/c1/${stuck}`))
  await rm(path)
  await mkdir(join(path, 'not a file'), { recursive: true })
  await segments.makeMonths()
  const months = await world.sql(`select from pg_class where relname ~ '^timeline_[0-9]{8}$'`)
  const before = await segments.objects()
  const counted = await failures('remove')
  await expect(segments.move({ backupDays: 0 })).rejects.toThrow(/directory/)
  expect(await failures('remove')).toBe(counted + 1)
  expect(await segments.objects()).toHaveLength(before.length - others.length)
  expect(await world.sql(`select encode(object, 'hex') as name from unused_object`)).toEqual([
    { name: stuck },
  ])
  const left = await world.sql(`select from pg_class where relname ~ '^timeline_[0-9]{8}$'`)
  expect(left.length).toBeLessThan(months.length)
  await rm(path, { recursive: true })
  await world.sql(`update unused_object set taken_at = taken_at - interval '11 minutes'`)
  await segments.move({ backupDays: 0 })
  expect(await world.sql('select from unused_object')).toEqual([])
})

/** As metrics show them. */
async function failures(cause: string): Promise<number> {
  const { text } = await segments.world.server.anonymous.get('/metrics')
  const found = new RegExp(`^skein_timeline_segment_failures_total\\{cause="${cause}"\\} (.+)$`, 'm').exec(
    text,
  )
  return Number(found?.[1])
}

test('a round that the database rejects counts as a failure', async () => {
  const { world } = segments
  const counted = await failures('move')
  await world.sql('revoke execute on function find_old_timelines from skein_server')
  try {
    await expect(segments.move()).rejects.toThrow('permission denied')
  } finally {
    await world.sql('grant execute on function find_old_timelines to skein_server')
  }
  expect(await failures('move')).toBe(counted + 1)
  await segments.move()
  expect(await failures('move')).toBe(counted + 1)
})

test('what a killed server has drafted is used by the next one, unless it is being deleted', async () => {
  const agentId = await busy('drafted')
  await segments.age(agentId)
  const { database } = segments.world.server.engine
  const range = { firstSequence: 1n, lastSequence: BigInt(await segments.rows(agentId)) }
  const segment = {
    agentId: await segments.idOf(agentId),
    ...range,
    events: Number(range.lastSequence),
    lastAtMicros: 0n,
    storedBytes: 1,
    plainBytes: 1,
    checksum: 'ab'.repeat(32),
  }
  const draft = () =>
    database.forTenant(segments.world.tenant.id, (transaction) =>
      new SegmentStore(transaction).draft(segment),
    )
  const object = await draft()
  expect(object).toMatch(new RegExp(`^${segment.checksum}[0-9a-f]{14}$`))
  expect(await draft()).toBe(object)
  await segments.world.sql(`update unused_object set taken_at = now() where object = decode($1, 'hex')`, [
    object,
  ])
  const next = await draft()
  expect(next).toMatch(new RegExp(`^${segment.checksum}[0-9a-f]{14}$`))
  expect(next).not.toBe(object)
  await segments.world.sql('delete from unused_object')
})

test('what a webhook still has to send stays in the table, with what a message tells of the run before it', async () => {
  const agentId = await busy('held', 70)
  await segments.age(agentId)
  await segments.hold(agentId, 65)
  await segments.world.sql(
    `insert into dead_letter (tenant_id, integration, agent_id, id, created_at, first_sequence, last_sequence, error)
     values ($1, 'hook', $2, gen_random_uuid(), now(), 62, 70, '')`,
    [segments.world.tenant.id, await segments.idOf(agentId)],
  )
  await segments.move()
  const [segment, ...others] = await segments.segments(agentId)
  expect(others).toEqual([])
  expect(Number(segment?.['last_sequence'])).toBe(62 - 50 - 1)
  await segments.world.sql('delete from lane')
  await segments.world.sql('delete from dead_letter')
  await segments.move()
  expect(await segments.rows(agentId)).toBe(0)
})

test('old events are not sent again, and whoever asks for it is told', async () => {
  const agentId = await busy('replayed')
  await segments.age(agentId, 4)
  await segments.move()
  const { admin } = segments.world
  must(await admin.write('integration', 'again', { url: 'https://hooks.example.com/' }))
  const replay = (body: object) => admin.post('/v1/integration/again/replay', { agentId, ...body })
  for (const body of [{}, { firstSequence: '4' }, { firstSequence: '2', lastSequence: '3' }]) {
    const answer = await replay(body)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('firstSequence: must be at least 5')
  }
  must(await replay({ firstSequence: '5' }))
  await segments.world.sql('delete from lane')
})

test('events that somebody wants sent again while they are being moved stay in the table', async () => {
  const agentId = await busy('wanted')
  await segments.age(agentId)
  const { admin, server, tenant } = segments.world
  const { database, segments: objects } = server.engine
  const id = await segments.idOf(agentId)
  const inStore = <Result>(work: (store: SegmentStore) => Promise<Result>) =>
    database.forTenant(tenant.id, (transaction) => work(new SegmentStore(transaction)))
  const events = await inStore((store) => store.oldestEvents(id, { events: 100, bytes: 1_000_000 }))
  const { segment, content } = await objects.write({ tenantId: tenant.id, agentId: id }, events)
  const object = await inStore((store) => store.draft(segment))
  if (object === undefined) throw new Error('The events are not there')
  await objects.store(object, content)
  must(await admin.write('integration', 'again', { url: 'https://hooks.example.com/' }))
  must(await admin.post('/v1/integration/again/replay', { agentId }))
  expect(await inStore((store) => store.move(segment, object))).toBe(false)
  expect(await segments.rows(agentId)).toBe(events.length)
  await segments.world.sql('delete from lane')
  expect(await inStore((store) => store.move(segment, object))).toBe(true)
})

test('two servers that move at once move each event once', async () => {
  const agents = await Promise.all(['twice-a', 'twice-b', 'twice-c'].map((name) => busy(name)))
  for (const agentId of agents) await segments.age(agentId)
  const expected = await Promise.all(agents.map((agentId) => segments.read(agentId)))
  const other = await startTestServer({
    database: segments.world.server.database,
    settings: { SKEIN_BLOBS: `file:${segments.folder}` },
  })
  try {
    // Not even the turn keeps them apart.
    const movers = [segments.world.server, other].map(
      ({ engine }) => new SegmentMover(engine, { days: 30, backupDays: 30 }, () => undefined),
    )
    const loosen = setInterval(
      () =>
        void segments.world.sql(`update segment_turn set held_until = '-infinity'`).catch(() => undefined),
      5,
    )
    await Promise.all(movers.map((mover) => mover.run()))
    clearInterval(loosen)
    await segments.move()
  } finally {
    await other.close()
  }
  for (const [index, agentId] of agents.entries()) {
    expect(await segments.rows(agentId)).toBe(0)
    expect(await segments.read(agentId)).toEqual(expected[index])
  }
  expect(await doubtful()).toEqual([])
})

test('what a killed server has left behind the place where it stopped is moved by the next one at once', async () => {
  const agentId = await busy('behind')
  await segments.age(agentId)
  await segments.world.sql(
    `update segment_turn set held_until = '-infinity', after_agent = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`,
  )
  await segments.move()
  expect(await segments.rows(agentId)).toBe(0)
})

/** Objects that would be deleted although a segment needs them. */
const doubtful = () =>
  segments.world.sql('select from unused_object u join timeline_segment s on s.object = u.object')

test('an agent that expires takes its segments with it, and their objects after the backups', async () => {
  const agentId = await busy('expired')
  const kept = await busy('kept')
  for (const each of [agentId, kept]) await segments.age(each)
  await segments.move()
  const [object] = await segments.segments(agentId)
  await segments.world.kill(agentId)
  await segments.age(agentId)
  const id = await segments.idOf(agentId)
  await segments.world.sql(
    `update leftover set ended_at = now() - interval '101 days', is_removed = true where agent_id = $1`,
    [id],
  )
  await removeExpired(
    segments.world.server.engine.database,
    { agents: Date.now() - 100 * 86_400_000 },
    { isStopped: () => false, onError: (error) => expect.unreachable(String(error)) },
  )
  expect(await segments.world.sql('select from timeline_segment where agent_id = $1', [id])).toEqual([])
  const isThere = async () => (await segments.objects()).length
  const before = await isThere()
  await segments.move({ backupDays: 1 })
  expect(await isThere()).toBe(before)
  await segments.move({ backupDays: 0 })
  expect(await isThere()).toBe(before - 1)
  expect(object).toBeDefined()
  expect(await segments.read(kept)).not.toEqual([])
  expect(await segments.world.sql('select from unused_object')).toEqual([])
})

test('an export has the events of segments, and what a tenant leaves is deleted with it', async () => {
  const { server } = segments.world
  const other = await AgentWorld.in(server, await server.createTenant())
  const agentId = await other.spawn('leaving', { description: 'zebra-crossing' })
  const before = await exported(other)
  await other.sql(`update timeline set created_at = created_at - interval '100 days' where tenant_id = $1`, [
    other.tenant.id,
  ])
  // An event of the tenant itself.
  await other.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     values ($1, $1, 1, now() - interval '100 days', 'skein', '{"type":"budget.reached"}')`,
    [other.tenant.id],
  )
  await segments.move()
  expect(await other.sql('select from timeline where tenant_id = $1', [other.tenant.id])).toEqual([])
  const after = await exported(other)
  expect(after.filter(({ agent_id: id }) => id !== other.tenant.id).map(plain)).toEqual(before.map(plain))
  expect(after).toHaveLength(before.length + 1)
  expect(after.every(({ table }) => table === 'timeline')).toBe(true)
  expect(JSON.stringify(after)).toContain('zebra-crossing')
  const objects = (await segments.objects()).length
  const owner = openResources(server.config, server.database.ownerUrl)
  try {
    const removed = await deleteTenant(owner, {
      tenant: other.tenant.tenant,
      patienceMs: 0,
      abandonsLeftovers: true,
      settleMs: 0,
      onProgress: () => undefined,
    })
    expect(removed.state).toBe('deleted')
  } finally {
    await owner.database.close()
  }
  expect(await other.sql('select from timeline_segment where tenant_id = $1', [other.tenant.id])).toEqual([])
  // What is killed leaves an event, in no segment.
  await segments.move({ backupDays: 0 })
  expect(await segments.objects()).toHaveLength(objects - 2)
  expect(agentId).toBeDefined()
})

test('an export has the events of a month that was moved meanwhile, and dropped if it were not for the export', async () => {
  const { server } = segments.world
  await segments.makeMonths()
  const other = await AgentWorld.in(server, await server.createTenant())
  await other.spawn('exported')
  const before = await exported(other)
  await other.sql(`update timeline set created_at = created_at - interval '100 days' where tenant_id = $1`, [
    other.tenant.id,
  ])
  const months = () =>
    other.sql(`select relname from pg_class where relname ~ '^timeline_[0-9]{8}$' order by 1`)
  const there = await months()
  let isMoved = false
  const during = await exported(other, async (table) => {
    if (isMoved) return
    isMoved = true
    expect(table).toBe('agent')
    await segments.move()
  })
  expect(during.map(plain)).toEqual(before.map(plain))
  const left = await months()
  await segments.move()
  expect(await other.sql('select from timeline where tenant_id = $1', [other.tenant.id])).toEqual([])
  // Others, which had been empty before, wait for it too.
  expect(left).toEqual(there)
  expect((await months()).length).toBeLessThan(left.length)
})

/** Without its time, which the test changed. */
function plain(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row, created_at: '' }
}

async function exported(
  { server, tenant }: AgentWorld,
  onRow: (table: string) => Promise<void> = () => Promise.resolve(),
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  await exportTenant(server.engine, { id: tenant.id, tenant: tenant.tenant }, async (line) => {
    if ('table' in line) await onRow(line.table)
    if ('table' in line && line.table.startsWith('timeline')) rows.push({ ...line.row, table: line.table })
  })
  return rows.toSorted((one, two) => Number(one['sequence']) - Number(two['sequence']))
}

test('the events of a tenant that is deleted are gone, also its own that were never moved', async () => {
  const { server } = segments.world
  const other = await AgentWorld.in(server, await server.createTenant())
  await other.sql(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     values ($1, $1, 1, now(), 'skein', '{"type":"budget.reached"}')`,
    [other.tenant.id],
  )
  const owner = openResources(server.config, server.database.ownerUrl)
  try {
    await deleteTenant(owner, {
      tenant: other.tenant.tenant,
      patienceMs: 0,
      abandonsLeftovers: true,
      settleMs: 0,
      onProgress: () => undefined,
    })
  } finally {
    await owner.database.close()
  }
  expect(await other.sql('select from timeline where tenant_id = $1', [other.tenant.id])).toEqual([])
})

test('segments older than the retention are forgotten like months of the table', async () => {
  const agentId = await busy('retained')
  await segments.age(agentId, 4)
  await segments.move()
  await removeExpired(
    segments.world.server.engine.database,
    { segments: Date.now() - 99 * 86_400_000 },
    { isStopped: () => false, onError: (error) => expect.unreachable(String(error)) },
  )
  const left = await segments.read(agentId)
  expect(left[0]?.sequence).toBe('5')
})

test('a segment has events of one month, so that none is kept because of later ones', async () => {
  const agentId = await busy('two-months')
  await segments.age(agentId)
  await segments.world.sql(
    `update timeline set created_at = created_at - interval '40 days' where agent_id = $1 and sequence <= 4`,
    [await segments.idOf(agentId)],
  )
  const expected = await segments.read(agentId)
  await segments.move()
  const ends = (await segments.segments(agentId)).map((segment) => Number(segment['last_sequence']))
  expect(ends).toEqual([4, expected.length])
  expect(await segments.read(agentId)).toEqual(expected)
  await removeExpired(
    segments.world.server.engine.database,
    { segments: Date.now() - 120 * 86_400_000 },
    { isStopped: () => false, onError: (error) => expect.unreachable(String(error)) },
  )
  expect(await segments.read(agentId)).toEqual(expected.slice(4))
})

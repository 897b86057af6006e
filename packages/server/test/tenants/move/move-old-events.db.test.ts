import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentId, TimelineEvent } from '@skein/contract'
import { cancelMove, exportTenant, removeLeft, SegmentMover, type EngineResources } from '@skein/engine'
import { MoveConnection, returnEvents, SegmentStore, SegmentWork } from '@skein/store'
import { TestClient, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openResources } from '../../../src/resources.ts'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { SegmentWorld } from '../../timelines/segment-world.ts'
import { TwoCells, type TestCell } from './two-cells.ts'

type ExportLine = Parameters<Parameters<typeof exportTenant>[2]>[0]

class Killed extends Error {}

let folder: string
let cells: TwoCells
let world: AgentWorld
let segments: SegmentWorld
let org: string
let there: TestClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-move-segments-'))
  // Both use the same folder: what one cell deletes must not be missing in the other.
  cells = await TwoCells.start({ SKEIN_BLOBS: `file:${folder}` })
})

afterAll(async () => {
  await cells.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  world = await AgentWorld.in(cells.one.server, await cells.one.server.createTenant())
  segments = SegmentWorld.of(world, folder)
  org = world.tenant.tenant.org
  const token = must(await world.admin.write('token', 'root', { account: 'ada', role: 'admin' }))
  there = new TestClient(cells.two.server.app, String(token.document['key']))
})

/** Agents with a segment until each of these events, and new events after them. */
async function oldAgents(...ends: number[]): Promise<AgentId[]> {
  const agents: AgentId[] = []
  for (const name of ['first', 'second', 'third']) {
    const agentId = await world.spawn(name)
    agents.push(agentId)
    for (let index = 0; index < 6; index += 1)
      must(await world.queue(agentId, { description: `Message ${index}\n with “quotes” and \u2028.` }))
  }
  for (const until of ends) {
    for (const agentId of agents) await segments.age(agentId, until)
    await segments.move()
  }
  for (const agentId of agents) expect(await segments.segments(agentId)).toHaveLength(ends.length)
  return agents
}

const read = (agents: readonly AgentId[]) => Promise.all(agents.map((agentId) => segments.read(agentId)))

async function readThere(agentId: AgentId): Promise<TimelineEvent[]> {
  return must(await there.post('/v1/agent/timeline', { agentId })).body['events'] as TimelineEvent[]
}

/** What its servers do every minute. */
async function runMover(cell: TestCell, backupDays = 30): Promise<void> {
  const errors: unknown[] = []
  const ages = { days: 30, backupDays }
  await new SegmentMover(cell.server.engine, ages, (error) => errors.push(error)).run()
  expect(errors).toEqual([])
}

async function segmentsIn(cell: TestCell): Promise<number> {
  return (await cell.sql('select from timeline_segment where tenant_id = $1', [world.tenant.id])).length
}

test('old events move with their tenant, become old again there, and outlive what is removed here', async () => {
  // The other cell will move the same events together, to an object with the same content.
  const agents = await oldAgents(5)
  const before = await read(agents)
  await cells.move(org)
  expect(await Promise.all(agents.map(readThere))).toEqual(before)
  expect(await segmentsIn(cells.two)).toBe(0)
  // The cell has no partition for months so long ago.
  expect(await oldestUnmoved(cells.two)).toMatch(/-01 00:00:00/)
  await runMover(cells.two)
  expect(await oldestUnmoved(cells.two)).toBeNull()
  expect(await segmentsIn(cells.two)).toBeGreaterThan(0)
  expect(await Promise.all(agents.map(readThere))).toEqual(before)
  await remove(cells.one, cells.two)
  const objects = (await segments.objects()).length
  // As if the last backup with the objects were gone.
  await cells.one.sql(`update unused_object set since = since - interval '1 hour'`)
  await runMover(cells.one, 0)
  expect((await segments.objects()).length).toBeLessThan(objects)
  // Not from its memory.
  const fresh = openResources(cells.two.server.config, cells.two.server.database.serverUrl)
  try {
    expect(sequencesIn(await exported(fresh))).toEqual(sequencesOf(before))
  } finally {
    await fresh.database.close()
  }
})

/** What the metric is made of. */
async function oldestUnmoved(cell: TestCell): Promise<string | null | undefined> {
  const before = Date.now() - 60 * 86_400_000
  await cell.server.engine.database.statement((transaction) => new SegmentWork(transaction).dropMoved(before))
  const [row] = await cell.sql<{ oldest: string | null }>(
    `select (oldest_month at time zone 'UTC')::text as oldest from segment_turn`,
  )
  return row?.oldest
}

/** What the tenant left in a cell. */
async function remove(from: TestCell, to: TestCell): Promise<void> {
  const owner = openResources(from.server.config, from.server.database.ownerUrl)
  const { tenant } = world.tenant
  await cells.between(from, to, (between) =>
    removeLeft(owner, { cells: between, tenant, settleMs: 0, onProgress: () => {} }),
  )
  await owner.database.close()
}

test('events of a tenant that comes back become old again at once, while its former objects wait for the backups', async () => {
  const agents = await oldAgents(5)
  const before = await read(agents)
  const rows = await Promise.all(agents.map((agentId) => segments.rows(agentId)))
  await cells.move(org)
  await runMover(cells.two)
  await remove(cells.one, cells.two)
  await cells.move(org, {}, [cells.two, cells.one])
  await runMover(cells.one)
  expect(await Promise.all(agents.map((agentId) => segments.rows(agentId)))).toEqual(rows)
  expect(await read(agents)).toEqual(before)
  // As if the last backup with the former objects were gone.
  await cells.one.sql(`update unused_object set since = since - interval '1 hour'`)
  const objects = (await segments.objects()).length
  await runMover(cells.one, 0)
  expect((await segments.objects()).length).toBeLessThan(objects)
  const fresh = openResources(cells.one.server.config, cells.one.server.database.serverUrl)
  try {
    expect(sequencesIn(await exported(fresh))).toEqual(sequencesOf(before))
  } finally {
    await fresh.database.close()
  }
})

test('a reader finds every event once, however far the move has come', async () => {
  const agents = await oldAgents(3, 5)
  const before = await read(agents)
  let looks = 0
  const onStep = async (step: string) => {
    if (step !== 'batch timeline_segment') return
    looks += 1
    expect(await read(agents)).toEqual(before)
    expect(sequencesIn(await exported(cells.one.server.engine))).toEqual(sequencesOf(before))
  }
  await cells.move(org, { onStep })
  expect(looks).toBe(6)
})

test('killed after any segment, the next call goes on, and what was put back stays once', async () => {
  const agents = await oldAgents(3, 5)
  const before = await read(agents)
  for (let kill = 1; kill <= 6; kill += 1) {
    let seen = 0
    const onStep = async (step: string) => {
      if (step === 'batch timeline_segment' && ++seen === 1) throw new Killed()
    }
    await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
    expect(await read(agents)).toEqual(before)
  }
  await cells.move(org, {
    onStep: async (step) => expect(step).not.toBe('batch timeline_segment'),
  })
  expect(await Promise.all(agents.map(readThere))).toEqual(before)
})

test('after a cancelled move, events that were put back leave the table again', async () => {
  const agents = await oldAgents(3, 5)
  const before = await read(agents)
  const rows = await Promise.all(agents.map((agentId) => segments.rows(agentId)))
  const names = await Promise.all(agents.map((agentId) => segments.segments(agentId)))
  const onStep = async (step: string) => {
    if (step === 'draining') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  // Not while it moves.
  await segments.move()
  for (const [index, agentId] of agents.entries())
    expect(await segments.rows(agentId)).toBe(before[index]?.length)
  await cells.between(cells.one, cells.two, ({ source, target }) =>
    cancelMove({ source, target, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
  expect(await read(agents)).toEqual(before)
  await segments.move()
  expect(await Promise.all(agents.map((agentId) => segments.rows(agentId)))).toEqual(rows)
  expect(await Promise.all(agents.map((agentId) => segments.segments(agentId)))).toEqual(names)
  expect(await read(agents)).toEqual(before)
})

test('events that expire while they are back do not stay after a cancelled move', async () => {
  const agents = await oldAgents(2, 5)
  const onStep = async (step: string) => {
    if (step === 'draining') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  // As retention does, which looks at the newest event of a segment.
  await cells.one.sql('delete from timeline_segment where tenant_id = $1 and last_sequence = 2', [
    world.tenant.id,
  ])
  const kept = (await read(agents)).map((events) => events.slice(2))
  await cells.between(cells.one, cells.two, ({ source, target }) =>
    cancelMove({ source, target, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
  await segments.move()
  // Else there would be a gap between what has expired and what is in no segment yet.
  expect(await read(agents)).toEqual(kept)
  for (const agentId of agents) await segments.age(agentId)
  await segments.move()
  expect(await Promise.all(agents.map((agentId) => segments.rows(agentId)))).toEqual([0, 0, 0])
  expect(await read(agents)).toEqual(kept.map((events) => events.map(() => expect.anything() as unknown)))
})

test('a server that was just moving events drafts none that have returned, or their object would be deleted', async () => {
  const [agentId] = await oldAgents(5)
  if (!agentId) throw new Error('An agent was spawned')
  const draft = async (): Promise<string | undefined> => {
    const [row] = await segments.segments(agentId)
    const checksum = String(row?.['name']).slice(0, 64)
    const segment = { ...range(row), agentId: await segments.idOf(agentId), checksum }
    return cells.one.server.engine.database.forTenant(world.tenant.id, (transaction) =>
      new SegmentStore(transaction).draft(segment),
    )
  }
  const onStep = async (step: string) => {
    if (step === 'draining') throw new Killed()
  }
  await expect(cells.move(org, { onStep })).rejects.toThrow(Killed)
  expect(await draft()).toBeUndefined()
  await cells.between(cells.one, cells.two, ({ source, target }) =>
    cancelMove({ source, target, tenant: world.tenant.tenant, onProgress: () => {} }),
  )
  expect(await draft()).toBeUndefined()
})

function range(row: Record<string, unknown> | undefined) {
  const [firstSequence, lastSequence] = [row?.['first_sequence'], row?.['last_sequence']].map((value) =>
    BigInt(String(value)),
  )
  if (firstSequence === undefined || lastSequence === undefined) throw new Error('A segment has a range')
  const events = Number(lastSequence - firstSequence + 1n)
  return { firstSequence, lastSequence, events, lastAtMicros: 0n, storedBytes: 1, plainBytes: 1 }
}

test('a month to which events return is not dropped, and those of a dropped one return again', async () => {
  const [agentId] = await oldAgents(5)
  if (!agentId) throw new Error('An agent was spawned')
  const id = await segments.idOf(agentId)
  const month = `timeline_19990101`
  await cells.one.sql(
    `create table ${month} partition of timeline for values from ('1999-01-01 00:00Z') to ('1999-02-01 00:00Z')`,
  )
  const drop = () => cells.one.sql(`select drop_moved_timelines('2000-01-01')`)
  const isThere = async () => {
    const [row] = await cells.one.sql<{ there: boolean }>(`select to_regclass($1) is not null as there`, [
      month,
    ])
    return row?.there === true
  }
  const writer = await MoveConnection.open(cells.one.server.database.ownerUrl)
  await writer.transaction(async () => {
    await writer.execute(`insert into timeline values ($1, $2, 999, '1999-01-02', 'x', '{}')`, [
      world.tenant.id,
      id,
    ])
    // It does not see what is not committed, and does not wait long: every writer of an event would wait behind it.
    const started = performance.now()
    await drop()
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(await isThere()).toBe(true)
  })
  await drop()
  expect(await isThere()).toBe(true)
  await writer.execute('delete from timeline where agent_id = $1 and sequence = 999', [id])
  const before = await read([agentId])
  let returns = 0
  const onStep = async (step: string) => {
    if (step === 'batch timeline_segment') returns += 1
    if (step === 'copied') await drop()
    // As if the month of some events had been dropped.
    if (step === 'drained')
      await cells.one.sql('delete from timeline where agent_id = $1 and sequence < 3', [id])
  }
  await cells.move(org, { onStep })
  expect(await isThere()).toBe(true)
  expect(returns).toBe(4)
  expect([await readThere(agentId)]).toEqual(before)
  await writer.close()
  // What is left behind until somebody removes it never returns.
  const isDropped = async () => {
    await drop()
    return !(await isThere()) || undefined
  }
  await waitFor(isDropped, { what: 'the empty month to be dropped', timeoutMs: 10_000 })
})

test('an agent that is forgotten between two copies leaves nothing in the other cell', async () => {
  const [agentId] = await oldAgents(5)
  if (!agentId) throw new Error('An agent was spawned')
  const id = await segments.idOf(agentId)
  const tables = ['timeline_segment', 'timeline', 'follow_up', 'run', 'timer', 'lease', 'leftover']
  const onStep = async (step: string) => {
    if (step !== 'copied') return
    expect(await cells.two.sql('select from timeline where agent_id = $1', [id])).not.toEqual([])
    for (const table of tables) await cells.one.sql(`delete from ${table} where agent_id = $1`, [id])
    await cells.one.sql('delete from agent where id = $1', [id])
  }
  await cells.move(org, { onStep })
  for (const table of tables)
    expect({ table, rows: await cells.two.sql(`select from ${table} where agent_id = $1`, [id]) }).toEqual({
      table,
      rows: [],
    })
  expect(await cells.two.sql('select from agent where id = $1', [id])).toEqual([])
})

test('events of an agent that was forgotten meanwhile are not put back', async () => {
  const [agentId] = await oldAgents(3, 5)
  if (!agentId) throw new Error('An agent was spawned')
  const id = await segments.idOf(agentId)
  const [segment] = await segments.segments(agentId)
  const events = [{ sequence: 1n, atMicros: 0n, actor: 'x', event: '{}' }]
  await cells.one.sql('delete from agent where id = $1', [id])
  const source = await MoveConnection.open(cells.one.server.database.ownerUrl)
  try {
    const what = {
      agentId: id,
      firstSequence: 1n,
      lastSequence: BigInt(String(segment?.['last_sequence'])),
      storedBytes: 1,
      plainBytes: 1,
      object: String(segment?.['name']),
    }
    expect(await returnEvents(source, world.tenant.id, what, events)).toBe(false)
  } finally {
    await source.close()
  }
  expect(await cells.one.sql('select from timeline where agent_id = $1 and sequence = 1', [id])).toEqual([])
  await cells.one.sql('delete from timeline_segment where agent_id = $1', [id])
  await cells.one.sql('delete from timeline where agent_id = $1', [id])
})

test('a damaged object stops the move before anything was copied, and says what to do', async () => {
  const [agentId] = await oldAgents(3, 5)
  if (!agentId) throw new Error('An agent was spawned')
  await cells.one.sql(
    `update timeline_segment set object = decode(repeat('00', 32), 'hex') where agent_id = $1`,
    [await segments.idOf(agentId)],
  )
  await expect(cells.move(org)).rejects.toThrow(
    /cannot be moved now\. The events .* cannot be read.*then run this again/is,
  )
  expect(await cells.two.sql('select from timeline where tenant_id = $1', [world.tenant.id])).toEqual([])
})

async function exported(engine: EngineResources): Promise<ExportLine[]> {
  const lines: ExportLine[] = []
  await exportTenant(engine, { id: world.tenant.id, tenant: world.tenant.tenant }, async (line) => {
    lines.push(line)
  })
  return lines
}

function sequencesOf(timelines: readonly TimelineEvent[][]): number[] {
  return timelines
    .flat()
    .map(({ sequence }) => Number(sequence))
    .toSorted((one, two) => one - two)
}

/** Of agents. */
function sequencesIn(lines: readonly ExportLine[]): number[] {
  return lines
    .flatMap((line) => ('table' in line && line.table === 'timeline' ? [line.row] : []))
    .filter((row) => Reflect.get(row, 'agent_id') !== world.tenant.id)
    .map((row) => Number(Reflect.get(row, 'sequence')))
    .toSorted((one, two) => one - two)
}

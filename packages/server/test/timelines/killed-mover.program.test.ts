import { setTimeout as pause } from 'node:timers/promises'
import type { AgentId, TimelineEvent } from '@skein/contract'
import { S3_KEYS, TestS3, waitFor } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { must } from '../agents/agent-world.ts'
import { endProcesses, startServer, type ServerProcess } from '../process/skein-process.ts'
import { SegmentWorld } from './segment-world.ts'

const AGENTS = 24
/** Held by the test while a transaction of the server waits for it at a step. */
const LOCK = 4711

let s3: TestS3
let segments: SegmentWorld
let owner: Client
const expected = new Map<AgentId, TimelineEvent[]>()

beforeAll(async () => {
  s3 = new TestS3()
  await s3.start()
  vi.stubEnv('AWS_ACCESS_KEY_ID', S3_KEYS.id)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', S3_KEYS.secret)
  segments = await SegmentWorld.start(`s3://bucket/old?endpoint=${encodeURIComponent(s3.endpoint)}`)
  owner = new Client({ connectionString: segments.world.server.database.ownerUrl })
  await owner.connect()
  await owner.query(
    `create function wait_at_step() returns trigger language plpgsql security definer as
     $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end $$`,
  )
  for (let index = 0; index < AGENTS; index += 1) {
    const agentId = await segments.world.spawn(`a${index}`)
    must(await segments.world.queue(agentId))
    // Some stay in the table.
    await segments.age(agentId, index % 5 === 0 ? 2 : 1_000_000)
    expected.set(agentId, await segments.read(agentId))
  }
})

afterAll(async () => {
  await endProcesses()
  await owner.end()
  await segments.close()
  await s3.stop()
  vi.unstubAllEnvs()
})

/** A server process, which begins to move events when it starts. */
async function startMover(): Promise<ServerProcess> {
  await owner.query(`update segment_turn set held_until = '-infinity'`)
  return startServer({
    SKEIN_DATABASE_URL: segments.world.server.database.serverUrl,
    SKEIN_BLOBS: segments.world.server.config.SKEIN_BLOBS,
    AWS_ACCESS_KEY_ID: S3_KEYS.id,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
  })
}

async function kill({ process }: ServerProcess): Promise<void> {
  process.signal('SIGKILL')
  await process.ended
}

/** Kills a server when a transaction of it has reached this point. */
async function killInDatabase(when: string, table: string): Promise<void> {
  await owner.query(`select pg_advisory_lock(${LOCK})`)
  await owner.query(
    `create trigger stop_here ${when} on ${table} for each statement execute function wait_at_step()`,
  )
  try {
    const server = await startMover()
    await waitFor(
      async () => {
        const { rowCount } = await owner.query(
          `select from pg_locks where locktype = 'advisory' and not granted and objid = ${LOCK}`,
        )
        return (rowCount ?? 0) > 0
      },
      { what: `a move to reach ${when} ${table}`, timeoutMs: 60_000 },
    )
    await kill(server)
  } finally {
    await owner.query(`select pg_advisory_unlock(${LOCK})`)
    await owner.query(`drop trigger stop_here on ${table}`)
  }
}

/** Kills a server when the store has this request, before or after it is carried out. */
async function killInStore(method: 'set' | 'get', isDone: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [set, get] = [s3.objects.set.bind(s3.objects), s3.objects.get.bind(s3.objects)]
  if (method === 'set') {
    s3.objects.set = (key, content) => {
      resolve()
      return isDone ? set(key, content) : s3.objects
    }
  } else {
    s3.objects.get = (key) => {
      const found = get(key)
      if (found) resolve()
      return found
    }
  }
  const server = await startMover()
  await promise
  await kill(server)
  s3.objects.set = set
  s3.objects.get = get
}

/** By this process. The last one that was killed may still have its turn. */
async function move(): Promise<void> {
  await owner.query(`update segment_turn set held_until = '-infinity'`)
  await segments.move()
}

/** What is wrong with the timelines, compared with what they were. */
async function problems(): Promise<string[]> {
  const found: string[] = []
  for (const [agentId, events] of expected) {
    const name = agentId.agent.join('/')
    const now = await segments.read(agentId, 2).catch((error: unknown) => String(error))
    if (JSON.stringify(now) !== JSON.stringify(events)) found.push(`${name} is not what it was`)
  }
  const { rows } = await owner.query<{ agent_id: string }>(
    `select s.agent_id from timeline_segment s join timeline t
       on t.agent_id = s.agent_id and t.sequence between s.first_sequence and s.last_sequence
     union all
     select s.agent_id from timeline_segment s join timeline_segment o on o.agent_id = s.agent_id
       and o.last_sequence > s.last_sequence and o.first_sequence <= s.last_sequence`,
  )
  if (rows.length > 0) found.push(`${rows.length} events are in two places`)
  const unsafe = await owner.query(
    'select from unused_object u join timeline_segment s on s.object = u.object',
  )
  if ((unsafe.rowCount ?? 0) > 0) found.push('an object in use would be deleted')
  return found
}

const STEPS: readonly [string, () => Promise<void>][] = [
  ['before the draft', () => killInDatabase('before insert', 'unused_object')],
  ['after the draft, before its commit', () => killInDatabase('after insert', 'unused_object')],
  ['when the object arrives', () => killInStore('set', false)],
  ['when the object is stored', () => killInStore('set', true)],
  ['when the object is read back', () => killInStore('get', true)],
  ['before the draft is deleted', () => killInDatabase('before delete', 'unused_object')],
  ['before the events are deleted', () => killInDatabase('before delete', 'timeline')],
  ['after the events were deleted', () => killInDatabase('after delete', 'timeline')],
  [
    'after the segment was recorded, before the commit',
    () => killInDatabase('after insert', 'timeline_segment'),
  ],
  [
    'some time after the start',
    async () => {
      const server = await startMover()
      await pause(Math.random() * 150)
      await kill(server)
    },
  ],
]

test('a server that is killed at any step loses no event and doubles none', async () => {
  for (const round of [1, 2]) {
    for (const [step, killAtStep] of STEPS) {
      if ((await countLeft()) === 0) await agedAgain(round)
      await killAtStep()
      expect({ step, problems: await problems() }).toEqual({ step, problems: [] })
    }
  }
  const server = await startMover()
  await waitFor(async () => (await countLeft()) === 0, {
    what: 'all old events to move',
    timeoutMs: 60_000,
  })
  await kill(server)
  expect(await problems()).toEqual([])
}, 600_000)

test('a server stops in time although the store does not respond', async () => {
  if ((await countLeft()) === 0) await agedAgain(3)
  await owner.query('delete from unused_object')
  const responding = Promise.withResolvers<void>()
  s3.uploads = responding.promise
  const server = await startMover()
  await waitFor(async () => ((await owner.query('select from unused_object')).rowCount ?? 0) > 0, {
    what: 'a segment to be drafted',
  })
  const stoppedAt = performance.now()
  server.process.signal('SIGTERM')
  expect(await server.process.ended).toBe(0)
  // Less than one request to the store may take.
  expect(performance.now() - stoppedAt).toBeLessThan(15_000)
  expect(server.process.stdout).not.toContain('moving old events failed')
  s3.uploads = undefined
  responding.resolve()
  await move()
  expect(await problems()).toEqual([])
})

/** 0 if no old events are in the table any more. */
async function countLeft(): Promise<number> {
  const { rowCount } = await owner.query(
    `select from timeline where created_at < now() - interval '90 days' limit 1`,
  )
  return rowCount ?? 0
}

/** More to move, if all was moved. */
async function agedAgain(round: number): Promise<void> {
  for (const agentId of expected.keys()) {
    must(await segments.world.queue(agentId, { description: `Round ${round}.` }))
    await segments.age(agentId)
    expected.set(agentId, await segments.read(agentId))
  }
}

test('what killed servers left in the store is deleted, and nothing else', async () => {
  await agedAgain(3)
  await killInStore('set', true)
  // These events are never put into the same object again.
  await owner.query(`update timeline set created_at = now() where created_at < now() - interval '90 days'`)
  for (const agentId of expected.keys()) expected.set(agentId, await segments.read(agentId))
  const inUse = async () => Number((await owner.query('select from timeline_segment')).rowCount)
  expect(s3.objects.size).toBeGreaterThan(await inUse())
  await owner.query(`update unused_object set since = since - interval '40 days'`)
  await move()
  expect(s3.objects.size).toBe(await inUse())
  expect((await owner.query('select from unused_object')).rowCount).toBe(0)
  expect(await problems()).toEqual([])
})

test('after a restore to an earlier time, everything is as it was, and moves again', async () => {
  await agedAgain(4)
  const before = await saveTables()
  await move()
  expect(await problems()).toEqual([])
  expect((await owner.query('select from timeline_segment')).rowCount).toBeGreaterThan(before.segments)
  // Segments that the restored database does not know, and one that it knows although its agent expired since.
  await owner.query(`select remove_segments(array(select agent_id from timeline_segment limit 3), 100)`)
  await move()
  await before.restore()
  expect(await problems()).toEqual([])
  await move()
  expect(await problems()).toEqual([])
})

/** As a backup has them, all from one time. */
async function saveTables() {
  const tables = ['timeline', 'timeline_segment', 'unused_object', 'segment_turn']
  for (const table of tables) await owner.query(`create table saved_${table} as select * from ${table}`)
  return {
    segments: Number((await owner.query('select from saved_timeline_segment')).rowCount),
    async restore() {
      await owner.query('begin')
      for (const table of tables) {
        await owner.query(`delete from ${table}`)
        await owner.query(`insert into ${table} select * from saved_${table}`)
        await owner.query(`drop table saved_${table}`)
      }
      await owner.query('commit')
    },
  }
}

test.each([
  ['records no segment', /insert into timeline_segment[^;]+;/, ''],
  [
    'leaves the events',
    /get diagnostics removed = row_count;/,
    'removed := amount;',
    /delete from timeline t[^;]+;/,
  ],
])('a planted fault that %s is noticed', async (_what, fault, instead, also: RegExp = /(?!)/) => {
  await agedAgain(5)
  const saved = await saveTables()
  const { rows } = await owner.query<{ source: string }>(
    `select pg_get_functiondef(oid) as source from pg_proc where proname = 'move_events'`,
  )
  const source = rows[0]?.source ?? ''
  await owner.query(source.replace(fault, instead).replace(also, ''))
  try {
    await move().catch(() => undefined)
    expect(await problems()).not.toEqual([])
  } finally {
    await owner.query(source)
    await saved.restore()
  }
})

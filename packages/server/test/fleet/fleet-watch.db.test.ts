import type { AgentId, FleetChange, FleetEntry } from '@skein/contract'
import { TestClock, waitFor, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'

let world: AgentWorld
let live: LiveClient

beforeAll(async () => {
  world = await AgentWorld.start()
  live = await LiveClient.of(world.server, world.admin.key)
})

afterAll(() => world.close())

const nameOf = ({ agentId }: FleetEntry): string => agentId.agent.join('/')
const lineOf = ({ entry, isListed }: FleetChange): string =>
  `${nameOf(entry)} ${entry.phase.replace('PHASE_', '')}${isListed ? '' : ' gone'}`

async function cursorOf(body: object = {}, by = world.admin): Promise<string> {
  return String(must(await by.post('/v1/fleet', body)).body['cursor'])
}

async function asOwner<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Until all that was begun before is done, in every database of the cluster: a cursor may tell again what was written
 * while a transaction was open that is older, and the test file beside this one has transactions of its own.
 */
async function settle(): Promise<void> {
  await asOwner(async (client) => {
    const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id() as xid')
    const isPast = async () => {
      const sql = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as past'
      return (await client.query<{ past: boolean }>(sql, [rows[0]?.xid])).rows[0]?.past
    }
    await waitFor(isPast, { what: 'older transactions to end', timeoutMs: 20_000 })
  })
}

/** Watches in the background. */
function watch(body: object, client = live, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const changes: FleetChange[] = []
  const ids: (string | undefined)[] = []
  const positions: (string | undefined)[] = []
  const ended = (async () => {
    const stream = client.stream('/v1/fleet/watch', body, { signal: controller.signal, headers })
    for await (const { id, name, data } of stream) {
      if (name === 'position') {
        positions.push(id)
        continue
      }
      changes.push(data as FleetChange)
      ids.push(id)
    }
  })()
  const lines = (): string[] => changes.map(lineOf)
  // A test that fails leaves no stream to the next one.
  onTestFinished(() => controller.abort())
  return {
    changes,
    ids,
    positions,
    lines,
    shows: (line: string) =>
      waitFor(() => lines().includes(line), { what: `${line} among ${lines().join(', ')}` }),
    async stop() {
      controller.abort()
      await ended
      await waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'the stream to be let go' })
    },
  }
}

test('a watch from a list’s cursor reports what changed since, and keeps reporting', async () => {
  const after = await cursorOf()
  const agentId = await world.spawn('early')
  const fleet = watch({ after })
  await fleet.shows('early PENDING')
  const run = await world.take(agentId)
  await fleet.shows('early RUNNING')
  await world.complete(run, { reason: 'asked', needsInput: 'Why?' })
  await fleet.shows('early WAITING')
  await world.spawn(['early', 'child'])
  await fleet.shows('early/child PENDING')
  expect(fleet.changes.find((change) => lineOf(change) === 'early WAITING')?.entry.needsInput).toBe('Why?')
  expect(fleet.ids).toEqual(fleet.changes.map(({ cursor }) => cursor))
  await fleet.stop()
})

test('a watch without a cursor begins now', async () => {
  await world.spawn('before')
  await settle()
  const fleet = watch({})
  await waitFor(() => world.server.engine.wakeups.waiting === 1, { what: 'the stream' })
  await world.spawn('after')
  await fleet.shows('after PENDING')
  expect(fleet.lines()).toEqual(['after PENDING'])
  await fleet.stop()
})

describe('what leaves a fleet', () => {
  test('is reported once, and again once it is back', async () => {
    const agentId = await world.spawn('leaver')
    await settle()
    const fleet = watch({ after: await cursorOf(), phases: ['PHASE_PENDING'] })
    const run = await world.take(agentId)
    await fleet.shows('leaver RUNNING gone')
    must(await world.beat(run, { events: [{ type: 'run.progressed', message: 'Still here.' }] }))
    await world.complete(run, { reason: 'rested' })
    must(await world.queue(agentId))
    await fleet.shows('leaver PENDING')
    await world.kill(agentId)
    await fleet.shows('leaver CANCELED gone')
    expect(fleet.lines().filter((line) => line.startsWith('leaver') && line !== 'leaver PENDING')).toEqual([
      'leaver RUNNING gone',
      'leaver CANCELED gone',
    ])
    await fleet.stop()
  })

  test('and what was never in it is not told', async () => {
    const carol = await world.tenant.as('member', 'carol')
    const hers = await world.spawn('hers', {}, carol)
    const after = await cursorOf()
    const ofCarol = watch({ after, account: 'carol' })
    const ofTree = watch({ after, under: hers })
    await world.spawn('his')
    await world.spawn(['hers', 'kid'], {}, carol)
    await world.spawn('hers2', {}, carol)
    await ofCarol.shows('hers2 PENDING')
    await ofTree.shows('hers/kid PENDING')
    expect(new Set(ofCarol.lines())).toEqual(new Set(['hers PENDING', 'hers/kid PENDING', 'hers2 PENDING']))
    expect(new Set(ofTree.lines())).toEqual(new Set(['hers PENDING', 'hers/kid PENDING']))
    await Promise.all([ofCarol.stop(), ofTree.stop()])
  })
})

test('nothing of another tenant is reported, and a run sees its subtree only', async () => {
  const rival = await world.server.createTenant()
  const { agentId, run } = await world.running('boss')
  const theirs = watch({ account: '*' }, await LiveClient.of(world.server, rival.admin.key))
  const runs = watch({ account: '*' }, await LiveClient.of(world.server, run.runKey))
  await waitFor(() => world.server.engine.wakeups.waiting === 2, { what: 'two streams' })
  await world.spawn('unseen')
  await world.spawn(['boss', 'aide'])
  await (await AgentWorld.in(world.server, rival)).spawn('seen')
  await theirs.shows('seen PENDING')
  await runs.shows('boss/aide PENDING')
  expect(theirs.lines()).toEqual(['seen PENDING'])
  expect(new Set(runs.lines())).toEqual(new Set(['boss RUNNING', 'boss/aide PENDING']))
  await Promise.all([theirs.stop(), runs.stop()])
  await world.kill(agentId)
})

/** A change of an agent by hand, in a transaction that stays open until it is ended. */
async function beginChange(agentId: AgentId): Promise<() => Promise<void>> {
  await settle()
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(
    `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
     select tenant_id, id, 1, 1, now() from agent where tenant_id = $1 and key like '%/' || $2`,
    [world.tenant.id, agentId.agent.join('/')],
  )
  return async () => {
    await client.query('commit')
  }
}

describe('a transaction that commits late', () => {
  test('is reported although later ones were reported before it, and they were not held up', async () => {
    const late = await world.spawn('late')
    await settle()
    const after = await cursorOf()
    const fleet = watch({ after })
    const commit = await beginChange(late)
    await world.spawn('punctual')
    await fleet.shows('punctual PENDING')
    expect(fleet.lines()).not.toContain('late PENDING')
    await commit()
    await world.spawn('wake-up')
    await fleet.shows('late PENDING')
    expect(fleet.lines().filter((line) => line === 'punctual PENDING')).toHaveLength(1)
    await fleet.stop()
  })

  test('is reported by a watch that continues from a list or an event created while it was open', async () => {
    const late = await world.spawn('latecomer')
    const commit = await beginChange(late)
    const listed = await cursorOf()
    await world.spawn('meanwhile')
    const fleet = watch({ after: listed })
    await fleet.shows('meanwhile PENDING')
    const told = fleet.changes.find((change) => lineOf(change) === 'meanwhile PENDING')?.cursor
    await fleet.stop()
    await commit()
    for (const after of [listed, told]) {
      const again = watch({ after })
      await again.shows('latecomer PENDING')
      await again.stop()
      expect(again.lines()).not.toContain('late PENDING')
    }
  })
})

/** Rows as if each were one of the agent's changes; in transactions of another cluster, if one is named. */
async function addToOutbox(name: string, amount: number, xid = '(pg_current_xact_id())'): Promise<void> {
  await asOwner((client) =>
    client.query(
      `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at, xid)
       select tenant_id, id, n, n, now(), ${xid} from agent, generate_series(1, $3) n
       where tenant_id = $1 and key like '%/' || $2`,
      [world.tenant.id, name, amount],
    ),
  )
}

test('an agent that changed a thousand times since is reported once', async () => {
  await world.spawn('restless')
  await settle()
  const after = await cursorOf()
  await addToOutbox('restless', 1_200)
  await world.spawn('calm')
  const fleet = watch({ after })
  await fleet.shows('calm PENDING')
  expect(fleet.lines()).toEqual(['restless PENDING', 'calm PENDING'])
  await fleet.stop()
})

test('rows that were restored from another cluster are not told over and over', async () => {
  await world.spawn('restored')
  await settle()
  const after = await cursorOf()
  await addToOutbox('restored', 3, `'999999999999'`)
  const fleet = watch({ after })
  await world.spawn('native')
  await fleet.shows('native PENDING')
  expect(fleet.lines()).toEqual(['native PENDING'])
  await fleet.stop()
})

test('a watch without changes reports its position', async () => {
  const clock = new TestClock(Date.now())
  const quiet = await AgentWorld.start({ clock })
  const client = await LiveClient.of(quiet.server, quiet.admin.key)
  const isWaiting = (count: number) =>
    waitFor(() => quiet.server.engine.wakeups.waiting === count, { what: `${count} streams` })
  const narrow = watch({ account: 'nobody' }, client)
  await isWaiting(1)
  await quiet.spawn('unheard')
  await settle()
  clock.advance(15_000)
  // Any change wakes it, of whomever.
  await quiet.spawn('waker')
  await waitFor(() => narrow.positions.length > 0, { what: 'a position' })
  expect(narrow.changes).toEqual([])
  await narrow.stop()
  await isWaiting(0)
  const again = watch({}, client, { 'last-event-id': String(narrow.positions.at(-1)) })
  await quiet.spawn('later')
  await again.shows('later PENDING')
  expect(again.lines()).not.toContain('unheard PENDING')
  await again.stop()
  await quiet.close()
})

/** Sixteen writers, each on its own tree, until all have finished. */
async function writeMuch(of: AgentWorld, rounds: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      const root = await of.spawn(`w${writer}`)
      for (let round = 0; round < rounds; round += 1) {
        const child = await of.spawn([`w${writer}`, `c${round}`])
        must(await of.queue(root, { description: `Round ${round}.` }))
        if (round % 3 === 0) await of.kill(child)
      }
    }),
  )
}

const listAll = async (by: TestTenant): Promise<FleetEntry[]> =>
  must(await by.admin.post('/v1/fleet', { account: '*', includeTerminal: true })).body[
    'entries'
  ] as FleetEntry[]

const byName = (entries: readonly FleetEntry[]): FleetEntry[] =>
  entries.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))

test(
  'a list and a watch after it lose nothing of sixteen concurrent writers',
  { timeout: 60_000 },
  async () => {
    const tenant = await world.server.createTenant()
    const other = await AgentWorld.in(world.server, tenant)
    const writing = writeMuch(other, 6)
    await waitFor(async () => (await listAll(tenant)).length > 10, { what: 'writers at work' })
    const first = must(await tenant.admin.post('/v1/fleet', { account: '*', includeTerminal: true })).body
    const known = new Map((first['entries'] as FleetEntry[]).map((entry) => [nameOf(entry), entry]))
    const client = await LiveClient.of(world.server, tenant.admin.key)
    const fleet = watch({ account: '*', includeTerminal: true, after: first['cursor'] }, client)
    await writing
    const expected = byName(await listAll(tenant))
    await waitFor(
      () => {
        for (const { entry } of fleet.changes) known.set(nameOf(entry), entry)
        return JSON.stringify(byName([...known.values()])) === JSON.stringify(expected)
      },
      { what: 'the watch to have told all' },
    )
    expect(expected).toHaveLength(16 * 7)
    await fleet.stop()
  },
)

test(
  'a watch that is cut off fifty times and resumes with Last-Event-ID misses nothing',
  { timeout: 60_000 },
  async () => {
    const tenant = await world.server.createTenant()
    const other = await AgentWorld.in(world.server, tenant)
    const client = await LiveClient.of(world.server, tenant.admin.key)
    const known = new Map<string, FleetEntry>()
    const body = {
      account: '*',
      includeTerminal: true,
      after: await cursorOf({ account: '*' }, tenant.admin),
    }
    const writing = writeMuch(other, 6)
    let lastId: string | undefined
    for (let cut = 0; cut < 50; cut += 1) {
      const controller = new AbortController()
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
      let left = cut % 5
      // One that is quiet is cut as well.
      const timer = setTimeout(() => controller.abort(), 100)
      for await (const { id, data } of client.stream('/v1/fleet/watch', body, {
        signal: controller.signal,
        headers,
      })) {
        const { entry } = data as FleetChange
        // A position, of a writer that was slow.
        if ((entry as FleetEntry | undefined) === undefined) continue
        known.set(nameOf(entry), entry)
        lastId = id
        left -= 1
        if (left < 0) controller.abort()
        if (controller.signal.aborted) break
      }
      clearTimeout(timer)
      controller.abort()
    }
    await writing
    const expected = byName(await listAll(tenant))
    const fleet = watch(body, client, lastId === undefined ? {} : { 'last-event-id': lastId })
    await waitFor(
      () => {
        for (const { entry } of fleet.changes) known.set(nameOf(entry), entry)
        return JSON.stringify(byName([...known.values()])) === JSON.stringify(expected)
      },
      { what: 'the watch to have told all' },
    )
    await fleet.stop()
    expect(expected).toHaveLength(16 * 7)
  },
)

test('a cursor that is malformed, too old or of another database is refused', async () => {
  const day = 24 * 60 * 60 * 1000
  const [list] = JSON.parse(Buffer.from(await cursorOf(), 'base64url').toString()) as unknown[]
  const forge = (...parts: string[]) => Buffer.from(JSON.stringify([list, ...parts])).toString('base64url')
  for (const after of [
    'x',
    forge('1', '0'),
    forge('a', '0', '0'),
    forge('1', '0', String(Date.now() - day)),
    forge('9999999999999999999', '0', String(Date.now())),
    forge('1', '0', String(Date.now() + 120_000)),
    forge('0', '0', String(Date.now())),
  ]) {
    const answer = await world.admin.post('/v1/fleet/watch', { after })
    expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
  }
})

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { SkeinError } from '@skein/contract'
import { replay } from '@skein/core'
import { endRun, createTasks, pollRuns, queueFollowUp, spawnAgent, type CommandOutcome } from '@skein/engine'
import { Database } from '@skein/store'
import { createTestDatabase, startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Choices } from './choices.ts'
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts'
import { contextOf, fleetOf, targetOf, type Fleet } from './fleet.ts'
import { readFleet, type StoredFleet } from './stored-fleet.ts'

const CLIENTS = 12
const COMMANDS_PER_CLIENT = 40
const ROOTS = ['a', 'b', 'c', 'd'] as const
const SEED = Number(process.env['SKEIN_TEST_SEED'] ?? Date.now() % 100_000)

/** What the clients know to have happened. */
interface Acknowledged {
  readonly followUpIds: string[]
  readonly taskIds: string[]
  readonly children: string[]
  readonly endedRuns: string[]
}

let server: TestServer
let proxy: CuttingProxy
let owner: Client
let stored: StoredFleet
const acknowledged: Acknowledged = { followUpIds: [], taskIds: [], children: [], endedRuns: [] }
const counts = { replays: 0, unknown: 0, terminated: 0 }

beforeAll(async () => {
  const database = await createTestDatabase()
  const url = new URL(database.serverUrl)
  proxy = await startCuttingProxy({ host: url.hostname, port: Number(url.port) }, new Choices(SEED), 8)
  url.port = String(proxy.port)
  server = await startTestServer({ database: { ...database, serverUrl: url.href } })
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const fleet = fleetOf(await server.createTenant())
  await Promise.all(ROOTS.map((root) => spawn(fleet, root)))

  const stop = new AbortController()
  const killer = killBackends(database.serverUrl, stop.signal)
  const clients = Array.from({ length: CLIENTS }, (_, client) => sendCommands(fleet, client))
  const runner = executeRuns(fleet, stop.signal)
  await Promise.all(clients)
  stop.abort()
  await Promise.all([killer, runner])

  const direct = new Database({
    connectionString: database.serverUrl,
    maxConnections: 2,
    applicationName: 'test',
  })
  stored = await readFleet(direct, owner, fleet.tenantId)
  await direct.close()
}, 300_000)

afterAll(async () => {
  await owner.end()
  await server.close()
  await proxy.close()
})

async function sendCommands(fleet: Fleet, client: number): Promise<void> {
  const choices = new Choices(SEED * CLIENTS + client)
  for (let count = 0; count < COMMANDS_PER_CLIENT; count++) {
    const root = choices.pick(ROOTS)
    await choices.pick([queue, queue, addTask, addTaskWithoutKey, spawnChild])(fleet, root)
  }
}

/** As a careful client does: the same command again until it is acknowledged. */
async function insist(send: () => Promise<CommandOutcome<unknown>>): Promise<void> {
  for (;;) {
    try {
      if ((await send()).isReplay) counts.replays++
      return
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof SkeinError && error.reason === 'DATABASE_UNAVAILABLE'
}

async function spawn(fleet: Fleet, path: string): Promise<void> {
  const context = contextOf(fleet, randomUUID())
  const request = { agentId: { agent: path.split('/'), workspace: 'default' }, description: 'Work' }
  await insist(() => spawnAgent(server.engine, fleet.caller, () => context, request))
}

async function spawnChild(fleet: Fleet, root: string): Promise<void> {
  const path = `${root}/c${randomUUID()}`
  await spawn(fleet, path)
  acknowledged.children.push(path)
}

/** Its own id is enough: no key. */
async function queue(fleet: Fleet, root: string): Promise<void> {
  const followUpId = randomUUID()
  const target = targetOf(fleet, root)
  await insist(() =>
    queueFollowUp(server.engine, contextOf(fleet), target, {
      agentId: {},
      description: 'More',
      followUpId,
    }),
  )
  acknowledged.followUpIds.push(followUpId)
}

async function addTask(fleet: Fleet, root: string): Promise<void> {
  const id = randomUUID()
  const context = contextOf(fleet, randomUUID())
  await insist(() => createTasks(server.engine, context, targetOf(fleet, root), [{ id, subject: 'Do it' }]))
  acknowledged.taskIds.push(id)
}

/** Without a key, a client cannot retry; but what is acknowledged happened once. */
async function addTaskWithoutKey(fleet: Fleet, root: string): Promise<void> {
  const id = randomUUID()
  try {
    await createTasks(server.engine, contextOf(fleet), targetOf(fleet, root), [{ id, subject: 'Do it' }])
    acknowledged.taskIds.push(id)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    counts.unknown++
  }
}

async function executeRuns(fleet: Fleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const runs = await pollRuns(server.engine, fleet.runner, {
        pools: ['default'],
        capacity: 10,
        deadlineMs: Date.now(),
        signal: new AbortController().signal,
      })
      await Promise.all(runs.map(({ lease }) => end(fleet, lease)))
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    await pause(5)
  }
}

async function end(fleet: Fleet, lease: string): Promise<void> {
  await insist(async () => {
    const { accepted } = await endRun(server.engine, fleet.runner, {
      lease,
      outcome: { reason: 'rested' },
    })
    if (accepted) acknowledged.endedRuns.push(lease)
    return { isReplay: false, answer: accepted }
  })
}

/** Ends some of the server's connections again and again, whatever they are doing. */
async function killBackends(serverUrl: string, signal: AbortSignal): Promise<void> {
  const killer = new Client({ connectionString: serverUrl, application_name: 'killer' })
  await killer.connect()
  while (!signal.aborted) {
    const { rows } = await killer.query<{ killed: number }>(
      `select count(pg_terminate_backend(pid))::int as killed from (
         select pid from pg_stat_activity
         where datname = current_database() and application_name like 'skein-%' order by random() limit 1) as chosen`,
    )
    counts.terminated += rows[0]?.killed ?? 0
    await pause(40)
  }
  await killer.end()
}

describe(`commands on connections that break (SKEIN_TEST_SEED=${SEED})`, () => {
  test('meet breaks before and after COMMIT, and answers from the record', () => {
    expect(counts.terminated).toBeGreaterThan(20)
    expect(proxy.cuts.beforeCommit).toBeGreaterThan(0)
    expect(proxy.cuts.afterCommit).toBeGreaterThan(0)
    expect(counts.replays).toBeGreaterThan(0)
    expect(acknowledged.endedRuns.length).toBeGreaterThan(0)
  })

  test('are carried out exactly once each when they are acknowledged', () => {
    const events = stored.agents.flatMap((agent) => agent.events.map(({ event }) => ({ agent, event })))
    const queued = events.flatMap(({ event }) =>
      event.type === 'follow-up.queued' ? [event.followUp.followUpId] : [],
    )
    const created = events.flatMap(({ event }) => (event.type === 'task.created' ? [event.task.id] : []))
    const spawned = events.flatMap(({ event }) =>
      event.type === 'agent.spawned' ? [event.identity.path.join('/')] : [],
    )
    const ended = events.flatMap(({ agent, event }) =>
      event.type === 'run.ended' ? [`${agent.state.id}.${event.runId}`] : [],
    )
    expectOnceEach(queued, acknowledged.followUpIds)
    expectOnceEach(created, acknowledged.taskIds)
    expectOnceEach(spawned, [...ROOTS, ...acknowledged.children])
    expectOnceEach(
      ended,
      acknowledged.endedRuns.map((lease) => lease.split('.').slice(1, 3).join('.')),
    )
    expect(created.length).toBeLessThanOrEqual(acknowledged.taskIds.length + counts.unknown)
    expect(spawned).toHaveLength(ROOTS.length + acknowledged.children.length)
  })

  test('leave timelines without a gap that give the stored states', () => {
    for (const { events, state } of stored.agents) {
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => BigInt(index + 1)))
      expect(replay(events)).toEqual(state)
    }
  })
})

function expectOnceEach(happened: readonly string[], expected: readonly string[]): void {
  expect(new Set(happened).size).toBe(happened.length)
  expect(expected.filter((id) => !happened.includes(id))).toEqual([])
}

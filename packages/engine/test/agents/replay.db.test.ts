import { SkeinError } from '@skein/contract'
import { replay } from '@skein/core'
import { Database } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Choices } from './choices.ts'
import { fleetOf } from './fleet.ts'
import { randomCommand } from './random-commands.ts'
import { countLive, expectedFollowUps, expectedRows, readFleet, type StoredFleet } from './stored-fleet.ts'

const CLIENTS = 16
const COMMANDS_PER_CLIENT = 200
const SEED = Number(process.env['SKEIN_TEST_SEED'] ?? Date.now() % 100_000)

/** What the rules refuse. Any other error is a fault. */
const REFUSALS = new Set([
  'AGENT_ALREADY_EXISTS',
  'AGENT_NOT_FOUND',
  'AGENT_NOT_RUNNING',
  'MODEL_SETTINGS_INVALID',
  'PARENT_NOT_LIVE',
  'REQUEST_INVALID',
  'RUN_NOT_CURRENT',
  'TASK_BLOCKED',
  'TASK_NOT_FOUND',
  'TASK_TRANSITION_INVALID',
  // Sixteen clients on six trees, on a machine that has little time for them. Nothing was changed.
  'TREE_BUSY',
])

let servers: TestServer[]
let owner: Client
let stored: StoredFleet
const refusals = new Map<string, number>()

/** Two servers on one database, as in production; sixteen clients that share six trees. */
beforeAll(async () => {
  const first = await startTestServer()
  servers = [first, await startTestServer({ database: first.database })]
  owner = new Client({ connectionString: first.database.ownerUrl })
  await owner.connect()
  const tenant = await first.createTenant()
  await tenant.admin.write('persona', 'reviewer', {
    prompt: 'Review.',
    tasks: [{ subject: 'Test it', activation: { filesModified: { pattern: '**/*.ts' } } }],
  })
  const fleet = fleetOf(tenant)
  const work = async (client: number): Promise<void> => {
    const { engine } = servers[client % 2] ?? first
    const setting = { fleet, engine, owner, choices: new Choices(SEED * CLIENTS + client) }
    for (let count = 0; count < COMMANDS_PER_CLIENT; count++) {
      await randomCommand(setting).catch((error: unknown) => countRefusal(error))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)))
  const reader = new Database({
    connectionString: first.database.serverUrl,
    maxConnections: 4,
    applicationName: 'test',
  })
  stored = await readFleet(reader, owner, tenant.id)
  await reader.close()
}, 300_000)

afterAll(async () => {
  await owner.end()
  for (const server of servers) await server.close()
})

function countRefusal(error: unknown): void {
  if (!(error instanceof SkeinError) || !REFUSALS.has(error.reason)) throw error
  refusals.set(error.reason, (refusals.get(error.reason) ?? 0) + 1)
}

describe(`random commands of ${CLIENTS} clients on shared trees (SKEIN_TEST_SEED=${SEED})`, () => {
  test('reach every rule: enough agents, and every kind of event', () => {
    const counts = new Map<string, number>()
    for (const { event } of stored.agents.flatMap(({ events }) => events)) {
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
    }
    expect(stored.agents.length).toBeGreaterThan(20)
    expect([...counts.keys()]).toEqual(
      expect.arrayContaining([
        'agent.settings-changed',
        'child.spawned',
        'follow-up.cleared',
        'follow-up.delivered',
        'follow-up.due',
        'follow-up.removed',
        'run.attempt-failed',
        'run.attempt-lost',
        'run.ended',
        'run.stop-requested',
        'task.activated',
        'task.updated',
      ]),
    )
  })

  test('number each timeline without a gap, and announce each event once in the outbox', () => {
    for (const { events, outbox, state } of stored.agents) {
      const numbers = Array.from(events, (_, index) => BigInt(index + 1))
      expect(events.map(({ sequence }) => sequence)).toEqual(numbers)
      expect(outbox.map(({ first }) => first)).toEqual([
        1n,
        ...outbox.slice(0, -1).map(({ last }) => last + 1n),
      ])
      expect(outbox.at(-1)?.last).toBe(state.sequence)
    }
  })

  test('leave timelines that, replayed through core, give exactly the stored states', () => {
    for (const { events, state, columns } of stored.agents) {
      expect(replay(events)).toEqual(state)
      expect(columns).toEqual({
        phase: state.phase,
        is_terminal: ['PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED'].includes(state.phase),
        cost_micros: state.usage.costMicros.toString(),
        labels: state.labels,
      })
    }
  })

  test('leave each message as its events say', () => {
    for (const { events, followUps } of stored.agents) expect(followUps).toEqual(expectedFollowUps(events))
  })

  test('leave exactly the runs, leases and timers that the states call for', () => {
    const expected = expectedRows(stored.agents.map(({ state }) => state))
    expect(sorted(stored.runs)).toEqual(sorted(expected.runs))
    expect(sorted(stored.leases)).toEqual(sorted(expected.leases))
    expect(sorted(stored.timers)).toEqual(sorted(expected.timers))
  })

  test('keep count of the live agents', () => {
    expect(stored.liveCount).toBe(countLive(stored.agents.map(({ state }) => state)))
  })
})

function sorted<Row extends { agent_id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
}

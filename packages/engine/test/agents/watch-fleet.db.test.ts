import { ChangeFeed, spawnAgent, watchFleet, type EngineResources } from '@skein/engine'
import type { Database, FleetFilter } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOf, fleetOf, type Fleet } from './fleet.ts'

const everything: FleetFilter = {
  owner: undefined,
  workspace: undefined,
  workspaces: undefined,
  under: undefined,
  includeTerminal: true,
  phases: undefined,
  labels: {},
}

let server: TestServer
let fleet: Fleet

beforeAll(async () => {
  server = await startTestServer()
  fleet = fleetOf(await server.createTenant())
})

afterAll(() => server.close())

/** Twelve hundred changes of one agent: three batches. */
async function changeOften(): Promise<void> {
  const request = { agentId: { agent: ['busy'] }, description: 'Work.' }
  await spawnAgent(server.engine, fleet.caller, () => contextOf(fleet), request)
  const owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  await owner.query(
    `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
     select tenant_id, id, n, n, now() from agent, generate_series(1, 1200) n`,
  )
  await owner.end()
}

function countingReads(engine: EngineResources, onRead: (count: number) => void): EngineResources {
  const { database } = engine
  let count = 0
  const counting: Pick<Database, 'forTenant'> = {
    forTenant(...args) {
      count += 1
      onRead(count)
      return database.forTenant(...args)
    },
  }
  const counted = counting as Database
  return { ...engine, database: counted, changeFeed: new ChangeFeed(counted) }
}

test('a hang-up ends a look before its next read', async () => {
  const controller = new AbortController()
  const { signal } = controller
  let reads = 0
  const engine = countingReads(server.engine, (count) => {
    reads = count
    // The first is for where to begin.
    if (count === 2) controller.abort()
  })
  const { tenantId, caller } = fleet
  const listed = { tenantId, tenant: caller.tenant }
  const filter = { ...everything, workspace: 'elsewhere' }
  const changes = await watchFleet(engine, listed, { filter, after: '', signal })
  await changeOften()
  await changes.next().catch(() => undefined)
  expect(reads).toBe(2)
  expect(server.engine.wakeups.waiting).toBe(0)
})

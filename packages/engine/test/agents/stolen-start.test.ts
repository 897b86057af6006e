import { randomUUID } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import {
  completeRun,
  heartbeat,
  pollRuns,
  spawnAgent,
  Sweeper,
  Turns,
  type EngineResources,
} from '@skein/engine'
import type { Database } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOf, fleetOf, type Fleet } from './fleet.ts'

let server: TestServer
let owner: Client
let fleet: Fleet

beforeAll(async () => {
  server = await startTestServer()
  owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  fleet = fleetOf(await server.createTenant())
})

afterAll(async () => {
  await owner.end()
  await server.close()
})

const poll = () => ({
  pools: ['default'],
  capacity: 5,
  deadlineMs: Date.now(),
  signal: new AbortController().signal,
})

/** Loses its connection when the first command is decided, and is back only after `meanwhile`. */
function interruptedOnce(engine: EngineResources, meanwhile: () => Promise<void>): EngineResources {
  const { database } = engine
  let isInterrupted = false
  const interrupted: Pick<Database, 'command' | 'statement' | 'forTenant'> = {
    forTenant: (...args) => database.forTenant(...args),
    statement: (...args) => database.statement(...args),
    async command(tenantId, load, decide) {
      if (isInterrupted) return database.command(tenantId, load, decide)
      isInterrupted = true
      const lost = new SkeinError('DATABASE_UNAVAILABLE')
      const attempt = database.command(tenantId, load, async (loaded, session) => {
        await decide(loaded, session)
        throw lost
      })
      await expect(attempt).rejects.toBe(lost)
      await meanwhile()
      throw lost
    },
  }
  // What happens meanwhile happens on other servers.
  const treeTurns = new Turns({ maxWaitMs: 10_000, maxWaiting: 10 })
  return { ...engine, treeTurns, database: interrupted as Database }
}

async function expireLeases(): Promise<void> {
  await owner.query(`update lease set expires_at = '-infinity'`)
  await new Sweeper(server.engine, (error) => expect.fail(String(error))).sweep()
}

test.each(['another', 'the same'])(
  'a start that comes back after its claim went to %s runner neither gets the run nor takes it away',
  async (which) => {
    const { engine } = server
    const second = which === 'another' ? { ...fleet.runner, token: 'second' } : fleet.runner
    await spawnAgent(engine, fleet.caller, () => contextOf(fleet), {
      agentId: { agent: [`stolen-${randomUUID()}`] },
      description: 'Work',
    })
    let lease = ''
    const late = await pollRuns(
      interruptedOnce(engine, async () => {
        await expireLeases()
        lease = (await pollRuns(engine, second, poll()))[0]?.lease ?? ''
      }),
      fleet.runner,
      poll(),
    )
    expect(late).toEqual([])
    const [told] = await heartbeat(engine, second, [{ lease }], poll())
    expect(told).toMatchObject({ lease, isCurrent: true })
    await expect(completeRun(engine, second, { lease, outcome: { reason: 'rested' } })).resolves.toEqual({
      accepted: true,
    })
  },
)

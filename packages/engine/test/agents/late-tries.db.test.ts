import { randomUUID } from 'node:crypto'
import { encodeBase64Text, persona, SkeinError } from '@skein/contract'
import {
  endRun,
  deleteResource,
  heartbeatRuns,
  killAgent,
  pollRuns,
  queueFollowUp,
  spawnAgent,
  Sweeper,
  KeyedMutex,
  writeResource,
  type EngineResources,
} from '@skein/engine'
import type { Database } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextOf, fleetOf, targetOf, type Fleet } from './fleet.ts'
import { readFleet } from './stored-fleet.ts'

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
    async command(tenantId, command) {
      if (isInterrupted) return database.command(tenantId, command)
      isInterrupted = true
      const lost = new SkeinError('DATABASE_UNAVAILABLE')
      const attempt = database.command(tenantId, {
        ...command,
        async decide(loaded, transaction) {
          await command.decide(loaded, transaction)
          throw lost
        },
      })
      await expect(attempt).rejects.toBe(lost)
      await meanwhile()
      throw lost
    },
  }
  // What happens meanwhile happens on other servers.
  const treeMutex = new KeyedMutex({ maxWaitMs: 10_000, maxWaiting: 10 })
  return { ...engine, treeMutex, database: interrupted as Database }
}

/** Loses its connection after the first COMMIT, before it is confirmed. */
function unconfirmedOnce(engine: EngineResources): EngineResources {
  const { database } = engine
  let isConfirmed = false
  const unconfirmed: Pick<Database, 'command'> = {
    async command(...args) {
      const result = await database.command(...args)
      if (isConfirmed) return result
      isConfirmed = true
      throw new SkeinError('DATABASE_UNAVAILABLE')
    },
  }
  return { ...engine, database: unconfirmed as Database }
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
    const [told] = await heartbeatRuns(engine, second, [{ lease }], poll())
    expect(told).toMatchObject({ lease, isCurrent: true })
    await expect(endRun(engine, second, { lease, outcome: { reason: 'rested' } })).resolves.toEqual({
      accepted: true,
    })
  },
)

const spawn = (engine: EngineResources, path: string, key?: string) =>
  spawnAgent(engine, fleet.caller, () => contextOf(fleet, key), {
    agentId: { agent: path.split('/') },
    description: 'Work',
  })
const kill = (path: string) => killAgent(server.engine, contextOf(fleet), targetOf(fleet, path))
const send = (engine: EngineResources, path: string, key: string) =>
  queueFollowUp(engine, contextOf(fleet, key), targetOf(fleet, path), { agentId: {}, description: 'Late' })

async function eventsOf(path: string): Promise<string[]> {
  const { agents } = await readFleet(server.engine.database, owner, fleet.tenantId)
  const found = agents.find(({ state }) => state.identity.path.join('/') === path)
  return (found?.events ?? []).map(({ event }) => event.type)
}

describe('an attempt that returns after its caller was rejected under the same key', () => {
  const again = { reason: 'AGENT_NOT_RUNNING', isReplay: true }

  test('queues nothing, although the agent is alive again by then', async () => {
    const path = `late-${randomUUID()}`
    await spawn(server.engine, path)
    const meanwhile = async () => {
      await kill(path)
      await expect(send(server.engine, path, path)).rejects.toMatchObject({ ...again, isReplay: false })
      await spawn(server.engine, path)
    }
    await expect(send(interruptedOnce(server.engine, meanwhile), path, path)).rejects.toMatchObject(again)
    expect((await eventsOf(path)).filter((type) => type === 'follow-up.queued')).toHaveLength(2)
  })

  test('spawns nothing, although its parent is alive again by then', async () => {
    const path = `late-${randomUUID()}`
    const child = `${path}/child`
    await spawn(server.engine, path)
    const meanwhile = async () => {
      await kill(path)
      await expect(spawn(server.engine, child, path)).rejects.toThrow(SkeinError)
      await spawn(server.engine, path)
    }
    await expect(spawn(interruptedOnce(server.engine, meanwhile), child, path)).rejects.toThrow(SkeinError)
    expect(await eventsOf(child)).toEqual([])
  })
})

test('a rejection gives way to the response of an attempt that was carried out first', async () => {
  const path = `late-${randomUUID()}`
  await spawn(server.engine, path)
  let first: unknown
  const late = interruptedOnce(server.engine, async () => {
    first = (await send(server.engine, path, path)).answer
    await kill(path)
  })
  const outcome = await send(late, path, path)
  expect(outcome).toEqual({ isReplay: true, answer: first })
})

test('a delete without a key is not rejected because its own first attempt carried it out', async () => {
  const resource = { kind: persona, name: 'brief', ifGenerationMatch: undefined, justification: '' }
  await writeResource(server.engine, contextOf(fleet), {
    ...resource,
    payload: encodeBase64Text('{}'),
    updateMask: '',
  })
  const outcome = await deleteResource(unconfirmedOnce(server.engine), contextOf(fleet), resource)
  expect(outcome).toEqual({ isReplay: true, answer: {} })
})

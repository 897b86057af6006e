import { setTimeout as pause } from 'node:timers/promises'
import type { AgentId } from '@skein/contract'
import { machineNow, startTestServer, type TestAnswer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, type StartedRun } from '../agents/agent-world.ts'

/** Enough for a busy machine, and a fraction of the time anyone would wait for a connection. */
const QUICK_MS = 1_000
const ATTACK_MS = 4_000

let server: TestServer
let attacker: AgentWorld
let neighbour: AgentWorld
let beating: StartedRun

beforeAll(async () => {
  server = await startTestServer({ settings: { SKEIN_DATABASE_CONNECTIONS: '20' } })
  attacker = await AgentWorld.in(server, await server.createTenant())
  neighbour = await AgentWorld.in(server, await server.createTenant())
  beating = await neighbour.running('beating')
})

afterAll(() => server.close())

/** Like a transaction that takes long, or is never ended. */
async function lockTrees(agents: readonly AgentId[]): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: server.database.ownerUrl })
  await client.connect()
  for (const { agent } of agents) {
    const [root] = await attacker.sql('select key from agent where tenant_id = $1 and key like $2', [
      attacker.tenant.id,
      `%/${agent[0]}`,
    ])
    const place = `${attacker.tenant.id}/${String(root?.['key'])}`
    await client.query('select pg_advisory_lock(hashtextextended($1, 2))', [place])
  }
  return () => client.end()
}

/** What others do meanwhile, again and again; answers how long each request took. */
async function probe(): Promise<Record<string, number[]>> {
  const requests: Record<string, () => Promise<TestAnswer>> = {
    list: () => neighbour.admin.post('/v1/agents', {}),
    queue: () => neighbour.queue(beating.agentId),
    ready: () => server.anonymous.get('/readyz'),
    heartbeat: () => neighbour.beat(beating.run),
  }
  const endAt = machineNow() + ATTACK_MS
  const times = await Promise.all(
    Object.entries(requests).map(async ([name, send]) => {
      const taken: number[] = []
      while (machineNow() < endAt) {
        const startedAt = machineNow()
        expect(await send()).toMatchObject({ status: 200 })
        taken.push(machineNow() - startedAt)
        await pause(20)
      }
      return [name, taken] as const
    }),
  )
  return Object.fromEntries(times)
}

function expectQuick(attack: string, times: Record<string, number[]>): void {
  for (const [name, taken] of Object.entries(times)) {
    const p99 = taken.toSorted((left, right) => left - right)[Math.floor(taken.length * 0.99)] ?? Infinity
    console.log(`${attack}, ${name}: p99 ${p99.toFixed(0)} ms of ${taken.length}`)
    expect(p99).toBeLessThan(QUICK_MS)
  }
}

/** Answers that are neither a success nor one of these refusals. */
function unexpected(answers: readonly TestAnswer[], reasons: readonly string[]): string[] {
  return answers
    .filter(({ status, reason = '' }) => status !== 200 && !(status === 503 && reasons.includes(reason)))
    .map(({ text }) => text)
}

test('commands for a tree that is locked keep nobody else from the database', async () => {
  const agentId = await attacker.spawn('locked')
  const unlock = await lockTrees([agentId])
  const stuck = Array.from({ length: 24 }, () => attacker.queue(agentId))
  try {
    expectQuick('one locked tree', await probe())
  } finally {
    await unlock()
  }
  expect(unexpected(await Promise.all(stuck), ['TREE_BUSY'])).toEqual([])
})

test('many slow trees of one tenant leave connections to the others, and to its own runners', async () => {
  const trees = await Promise.all(Array.from({ length: 60 }, (_, n) => attacker.spawn(`slow-${n}`)))
  const own = await attacker.running('own')
  const unlock = await lockTrees(trees)
  const stuck = trees.flatMap((agentId) => [attacker.queue(agentId), attacker.queue(agentId)])
  try {
    const times = probe()
    const startedAt = machineNow()
    expect(await attacker.beat(own.run)).toMatchObject({ status: 200 })
    expect(machineNow() - startedAt).toBeLessThan(QUICK_MS)
    expectQuick('60 slow trees', await times)
  } finally {
    await unlock()
  }
  expect(unexpected(await Promise.all(stuck), ['TREE_BUSY', 'SERVER_OVERLOADED'])).toEqual([])
})

test('a command that waited too long gets a retryable error, and changes nothing', async () => {
  const agentId = await attacker.spawn('stuck')
  const unlock = await lockTrees([agentId])
  const startedAt = machineNow()
  const answer = await attacker.queue(agentId, { followUpId: 'late' })
  expect(answer).toMatchObject({ status: 503, reason: 'TREE_BUSY' })
  expect(answer.headers['retry-after']).toBeDefined()
  expect(answer.text).toContain('google.rpc.RetryInfo')
  // Once, not again and again as for a connection that was lost.
  expect(machineNow() - startedAt).toBeLessThan(10_000)
  await unlock()
  expect((await attacker.status(agentId)).followUps.map(({ followUpId }) => followUpId)).not.toContain('late')
  expect(await attacker.queue(agentId, { followUpId: 'late' })).toMatchObject({ status: 200 })
})

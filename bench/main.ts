/**
 * `npm run bench`: throughput and latency of the agent operations over HTTP with 1,000, 100,000 and 1,000,000 idle
 * agents, compared with the bare engine in the same run. Options: --agents 1000,100000 --clients 64 --seconds 4
 */
import { parseArgs } from 'node:util'
import { BareEngine } from './bare-engine.ts'
import { BenchClient } from './http-client.ts'
import { measure, print, type Figure } from './measure.ts'
import { seedRestingAgents, type SeededAgent } from './seed.ts'
import { setStage, type Stage } from './stage.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000,100000,1000000' },
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '4' },
  },
})
const load = { clients: Number(values.clients), seconds: Number(values.seconds) }
const scales = values.agents.split(',').map(Number)

const results = new Map<number, Figure[]>()
for (const scale of scales) {
  // A separate stage for each scale, so that only the number of agents differs.
  const stage = await setStage({ SKEIN_DATABASE_CONNECTIONS: '24' })
  try {
    const runnerKey = await createRunner(stage)
    const agentAt = await seedRestingAgents(stage, scale)
    console.log(`\n${scale.toLocaleString('en')} agents at rest, ${load.clients} clients`)
    results.set(scale, await measureAll(stage, runnerKey, scale, agentAt))
  } finally {
    await stage.stop()
  }
}
printRatios()

async function measureAll(
  { baseUrl, adminKey, ownerUrl, tenantId }: Stage,
  runnerKey: string,
  scale: number,
  agentAt: (index: number) => SeededAgent,
): Promise<Figure[]> {
  const clients = await Promise.all(
    Array.from({ length: load.clients }, () => BenchClient.open(baseUrl, adminKey)),
  )
  const runners = await Promise.all(
    Array.from({ length: load.clients }, () => BenchClient.open(baseUrl, runnerKey)),
  )
  const bare = new BareEngine(ownerUrl, tenantId, 24)
  const any = (): SeededAgent => agentAt(Math.floor(Math.random() * scale))
  const figures: Figure[] = []
  const add = async (name: string, work: (client: number) => Promise<unknown>): Promise<void> => {
    const figure = await measure(name, load, work)
    print(figure)
    figures.push(figure)
  }
  await add('bare read by key', () => bare.readByKey(any().key))
  await add('status over HTTP', (n) => post(clients, n, '/v1/agent/status', { agentId: idOf(any()) }))
  await add('list 50 over HTTP', (n) => post(clients, n, '/v1/agents', { pageSize: 50 }))
  await add('bare queue transaction', () => bare.queue(any()))
  await add('queue over HTTP', (n) =>
    post(clients, n, '/v1/agent/queue', { agentId: idOf(any()), description: 'more' }),
  )
  await add('poll and complete over HTTP', async (n) => {
    const answer = await post(runners, n, '/v1/runner/poll', { capacity: 1 })
    const [run] = (JSON.parse(answer) as { runs: { lease: string }[] }).runs
    if (run)
      await post(runners, n, '/v1/runner/complete', { lease: run.lease, outcome: { reason: 'rested' } })
  })
  let spawned = 0
  await add('spawn over HTTP', (n) =>
    post(clients, n, '/v1/agent/spawn', {
      agentId: { workspace: 'default', agent: [`s${scale}-${(spawned += 1)}`] },
      description: 'Look after the house.',
    }),
  )
  for (const client of [...clients, ...runners]) client.close()
  await bare.close()
  return figures
}

function idOf({ name }: SeededAgent): object {
  return { workspace: 'default', agent: [name] }
}

function post(clients: readonly BenchClient[], index: number, path: string, body: object): Promise<string> {
  const client = clients[index]
  if (!client) throw new Error('A client for each loop')
  return client.post(path, JSON.stringify(body))
}

async function createRunner({ baseUrl, adminKey }: Stage): Promise<string> {
  const admin = await BenchClient.open(baseUrl, adminKey)
  const write = async (kind: string, name: string, document: object): Promise<string> => {
    const payload = Buffer.from(JSON.stringify(document)).toString('base64')
    const answer = JSON.parse(
      await admin.post(`/v1/catalog/${kind}/${name}`, JSON.stringify({ payload })),
    ) as {
      payload: string
    }
    return (JSON.parse(Buffer.from(answer.payload, 'base64').toString()) as { key?: string }).key ?? ''
  }
  await write('quota', 'default', { liveAgents: 10_000_000, runsInFlight: 10_000 })
  await write('pool', 'default', { maxRuns: 10_000 })
  const key = await write('token', 'runner', { account: 'runner', role: 'runner', pools: ['default'] })
  admin.close()
  return key
}

function rate(scale: number, name: string): number {
  return results.get(scale)?.find((figure) => figure.name === name)?.perSecond ?? NaN
}

function printRatios(): void {
  console.log('\nGoals')
  for (const scale of scales) {
    const queue = rate(scale, 'queue over HTTP') / rate(scale, 'bare queue transaction')
    const status = rate(scale, 'status over HTTP') / rate(scale, 'bare read by key')
    console.log(
      `  ${scale}: queue ${queue.toFixed(2)} of bare (goal 0.5), status ${status.toFixed(2)} of bare read (goal 0.5)`,
    )
  }
  const [smallest, largest] = [scales[0] ?? 0, scales.at(-1) ?? 0]
  for (const { name } of results.get(smallest) ?? []) {
    console.log(
      `  ${name}: ${(rate(smallest, name) / rate(largest, name)).toFixed(2)} times the cost at ${largest} (goal 1.2)`,
    )
  }
}

/**
 * `npm run bench:waits`: thousands of callers wait at one server process. Prints the memory per wait, the latency of
 * a wake-up, and whether anything is left when they disconnect. Options: --waits 5000 --agents 100
 */
import { parseArgs } from 'node:util'
import { BenchClient } from './http-client.ts'
import { setStage } from './stage.ts'

const { values } = parseArgs({
  options: { waits: { type: 'string', default: '5000' }, agents: { type: 'string', default: '100' } },
})
const waits = Number(values.waits)
const agents = Number(values.agents)

const stage = await setStage()
try {
  const admin = await BenchClient.open(stage.baseUrl, stage.adminKey)
  const idOf = (index: number) => ({ workspace: 'default', agent: [`w${index % agents}`] })
  for (let index = 0; index < agents; index++) {
    await admin.post('/v1/agent/spawn', JSON.stringify({ agentId: idOf(index), description: 'wait' }))
  }
  const clients: BenchClient[] = []
  for (let index = 0; index < waits; index++)
    clients.push(await BenchClient.open(stage.baseUrl, stage.adminKey))
  // A server grows with its first thousands of requests, whatever they are. That is not the memory of a wait.
  await Promise.all(
    clients.map((client, index) => client.post('/v1/agent/status', JSON.stringify({ agentId: idOf(index) }))),
  )
  const before = await metric('skein_process_resident_memory_bytes')
  const killedAt = new Map<number, number>()
  const latencies: number[] = []
  const answers = clients.map(async (client, index) => {
    await client.post('/v1/agent/wait', JSON.stringify({ agentId: idOf(index) }))
    latencies.push(performance.now() - (killedAt.get(index % agents) ?? NaN))
  })
  // A wait is counted from its first look on, so all of them are held only once nothing is looking.
  await until(async () => {
    const isLooking = (await metric('skein_database_connections{state="busy"}')) > 0
    return !isLooking && (await metric('skein_waiting_requests')) >= waits
  })
  const after = await metric('skein_process_resident_memory_bytes')
  console.log(`${waits} waits: ${((after - before) / waits / 1024).toFixed(1)} KiB each (goal 20)`)
  const half = Math.floor(agents / 2)
  for (let index = 0; index < half; index++) {
    killedAt.set(index, performance.now())
    await admin.post('/v1/agent/kill', JSON.stringify({ agentId: idOf(index) }))
  }
  await until(async () => latencies.length >= Math.floor((waits / agents) * half))
  latencies.sort((left, right) => left - right)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? NaN
  console.log(
    `wake-up: p50 ${latencies[Math.floor(latencies.length / 2)]?.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (goal 250)`,
  )
  for (const answer of answers) answer.catch(() => {})
  for (const client of clients) client.close()
  await until(async () => (await metric('skein_waiting_requests')) === 0)
  console.log('after hanging up: 0 waiting requests')
  admin.close()
} finally {
  await stage.stop()
}

async function metric(name: string): Promise<number> {
  const lines = (await (await fetch(`${stage.baseUrl}/metrics`)).text()).split('\n')
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? NaN)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('It did not come to pass within a minute')
}

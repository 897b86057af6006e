import { setTimeout as pause } from 'node:timers/promises'
import { CpuMeter, cpuMsOf } from './cpu-meter.ts'
import { BenchClient } from './http-client.ts'
import { quantile } from './measure.ts'
import type { Stage } from './stage.ts'

interface Load {
  readonly agents: number
  readonly changes: number
  readonly perSecond: number
  readonly background: number
}

/** Measured while so many clients wait. Times without clients are null. */
interface WaitingPoint {
  /** Of all servers together. */
  readonly rssBytes: number
  /** From sending the command that ends an agent to the answer of each client that waits for it. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  /** The same, from the answer of that command: its commit was just before. 0 for clients that were answered first. */
  readonly afterAnswerP50Ms: number | null
  readonly afterAnswerP99Ms: number | null
  readonly wakeups: number
  /** CPU time per second during the changes: of all servers, and of PostgreSQL. */
  readonly serversCpuMsPerSecond: number
  readonly databaseCpuMsPerSecond: number
}

interface WaitingClient {
  readonly client: BenchClient
  readonly agent: number
}

interface Change {
  readonly sentAt: number
  answeredAt: number | undefined
}

const BACKGROUND_AGENTS = 200
const WARM_UP_REQUESTS = 5_000
/** For each server: a command is slow the first few times that a process carries it out. */
const WARM_UP_CHANGES = 100
const READY_MS = 120_000

/** Clients spread over all servers and agents. Each waits until its agent ends, and then for the agent that replaces it. */
export class WaitingCrowd {
  readonly #stage: Stage
  readonly #load: Load
  readonly #commanders: readonly BenchClient[]
  readonly #cpu: CpuMeter
  readonly #crowd: WaitingClient[] = []
  /** How often each agent was replaced. */
  readonly #lives: number[]
  readonly #changes = new Map<string, Change>()
  readonly #waits = new Map<number, Promise<void>[]>()
  readonly #latencies: { readonly change: Change; readonly answeredAt: number }[] = []
  #isOver = false

  private constructor(stage: Stage, load: Load, commanders: readonly BenchClient[], cpu: CpuMeter) {
    this.#stage = stage
    this.#load = load
    this.#commanders = commanders
    this.#cpu = cpu
    this.#lives = Array.from({ length: load.agents }, () => 0)
  }

  static async open(stage: Stage, load: Load): Promise<WaitingCrowd> {
    const commanders = await Promise.all(
      stage.servers.map(({ baseUrl }) => BenchClient.open(baseUrl, stage.adminKey)),
    )
    const crowd = new WaitingCrowd(stage, load, commanders, await CpuMeter.open(stage.ownerUrl))
    const names = [
      ...Array.from({ length: load.agents }, (_, agent) => crowd.#nameOf(agent)),
      ...Array.from({ length: load.background > 0 ? BACKGROUND_AGENTS : 0 }, (_, agent) => `b${agent}`),
    ]
    await Promise.all(
      commanders.map(async (client, number) => {
        for (let index = number; index < names.length; index += commanders.length)
          await spawnAgent(client, names[index] ?? '')
        // A server grows with its first thousands of requests, whatever they are. That is not the memory of a wait.
        for (let index = 0; index < WARM_UP_REQUESTS / commanders.length; index++)
          await client.post('/v1/agent/status', body(names[index % names.length] ?? ''))
        const waiting = await BenchClient.open(
          stage.servers[number]?.baseUrl ?? stage.baseUrl,
          stage.adminKey,
        )
        await warmUpChanges(client, waiting, `warm${number}`)
        waiting.close()
      }),
    )
    return crowd
  }

  /** Adds clients until so many wait, then changes agents and measures. */
  async growTo(clients: number): Promise<WaitingPoint> {
    const { servers, adminKey } = this.#stage
    while (this.#crowd.length < clients) {
      const number = this.#crowd.length
      const { baseUrl } = servers[number % servers.length] ?? this.#stage
      const client = await BenchClient.open(baseUrl, adminKey)
      const agent = scatter(number) % this.#load.agents
      await client.post('/v1/agent/status', body(this.#nameOf(agent)))
      this.#crowd.push({ client, agent })
      this.#wait({ client, agent })
    }
    await this.#untilAllWait()
    const rssBytes = await this.#sum('skein_process_resident_memory_bytes')
    return { rssBytes, ...(await this.#changeAndMeasure()) }
  }

  /** Closes all connections, and fails if a server still has a wait afterwards. */
  async leave(): Promise<void> {
    this.#isOver = true
    for (const { client } of this.#crowd) client.close()
    await until(async () => (await this.#sum('skein_waiting_requests')) === 0)
    for (const commander of this.#commanders) commander.close()
    await this.#cpu.close()
  }

  async #changeAndMeasure(): Promise<Omit<WaitingPoint, 'rssBytes'>> {
    this.#latencies.length = 0
    const started = performance.now()
    const before = await this.#readLoad()
    const stopBackground = this.#startBackground()
    const changes: Promise<void>[] = []
    const waitedFor = [...this.#waits.keys()]
    for (let index = 0; index < this.#load.changes; index++) {
      await pauseUntil(started + (index * 1000) / this.#load.perSecond)
      const agent = waitedFor[index % waitedFor.length]
      if (agent !== undefined) changes.push(this.#replace(agent, index))
    }
    await Promise.all(changes)
    await stopBackground()
    const seconds = (performance.now() - started) / 1000
    const after = await this.#readLoad()
    const sent = this.#latencies.map(({ change, answeredAt }) => answeredAt - change.sentAt)
    const answered = this.#latencies.map(({ change, answeredAt }) =>
      Math.max(0, answeredAt - (change.answeredAt ?? answeredAt)),
    )
    return {
      p50Ms: quantileOf(sent, 0.5),
      p99Ms: quantileOf(sent, 0.99),
      afterAnswerP50Ms: quantileOf(answered, 0.5),
      afterAnswerP99Ms: quantileOf(answered, 0.99),
      wakeups: sent.length,
      serversCpuMsPerSecond: Math.round((after.servers - before.servers) / seconds),
      databaseCpuMsPerSecond: Math.round((after.database - before.database) / seconds),
    }
  }

  /** Ends an agent, waits until all who waited for it know, and lets them wait for another. */
  async #replace(agent: number, index: number): Promise<void> {
    const commander = await BenchClient.open(
      this.#stage.servers[(index * 7) % this.#stage.servers.length]?.baseUrl ?? this.#stage.baseUrl,
      this.#stage.adminKey,
    )
    const name = this.#nameOf(agent)
    const change: Change = { sentAt: performance.now(), answeredAt: undefined }
    this.#changes.set(name, change)
    await commander.post('/v1/agent/kill', body(name))
    change.answeredAt = performance.now()
    await Promise.all(this.#waits.get(agent) ?? [])
    this.#waits.delete(agent)
    this.#lives[agent] = (this.#lives[agent] ?? 0) + 1
    await spawnAgent(commander, this.#nameOf(agent))
    commander.close()
    for (const waiting of this.#crowd) if (waiting.agent === agent) this.#wait(waiting)
  }

  #wait({ client, agent }: WaitingClient): void {
    const name = this.#nameOf(agent)
    const wait = client.post('/v1/agent/wait', body(name)).then(
      () => {
        const change = this.#changes.get(name)
        if (!change) throw new Error(`A wait for ${name} was answered before it ended`)
        this.#latencies.push({ change, answeredAt: performance.now() })
      },
      (error: unknown) => {
        if (!this.#isOver) throw error
      },
    )
    this.#waits.set(agent, [...(this.#waits.get(agent) ?? []), wait])
  }

  #startBackground(): () => Promise<void> {
    const { background } = this.#load
    if (background === 0) return () => Promise.resolve()
    let isOver = false
    let sent = 0
    const started = performance.now()
    const loops = this.#commanders.map(async (client) => {
      for (;;) {
        const number = sent++
        await pauseUntil(started + (number * 1000) / background)
        if (isOver) return
        await client.post(
          '/v1/agent/queue',
          JSON.stringify({ ...JSON.parse(body(`b${number % BACKGROUND_AGENTS}`)), description: 'more' }),
        )
      }
    })
    return async () => {
      isOver = true
      await Promise.all(loops)
    }
  }

  #nameOf(agent: number): string {
    return `w${agent}-${this.#lives[agent]}`
  }

  /** A wait is counted from its first look on, so all of them are held only once nothing is looking. */
  async #untilAllWait(): Promise<void> {
    await until(async () => {
      const isLooking = (await this.#sum('skein_database_connections{state="busy"}')) > 0
      return !isLooking && (await this.#sum('skein_waiting_requests')) >= this.#crowd.length
    })
  }

  async #readLoad(): Promise<{ servers: number; database: number }> {
    const times = await Promise.all(this.#stage.servers.map(({ pid }) => cpuMsOf(pid)))
    return {
      servers: times.reduce((sum, time) => sum + time, 0),
      database: await this.#cpu.read(0),
    }
  }

  async #sum(name: string): Promise<number> {
    const amounts = await Promise.all(
      this.#stage.servers.map(async ({ baseUrl }) => {
        const lines = (await (await fetch(`${baseUrl}/metrics`)).text()).split('\n')
        return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? NaN)
      }),
    )
    return amounts.reduce((sum, amount) => sum + amount, 0)
  }
}

/** Independent of the server, or each server would have its own agents. */
function scatter(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 8
}

function pauseUntil(time: number): Promise<void> {
  return pause(Math.max(0, time - performance.now()))
}

function body(name: string): string {
  return JSON.stringify({ agentId: { workspace: 'default', agent: [name] } })
}

async function spawnAgent(client: BenchClient, name: string): Promise<void> {
  await client.post('/v1/agent/spawn', JSON.stringify({ ...JSON.parse(body(name)), description: 'wait' }))
}

/** What a change costs a server: an agent that somebody waits for is spawned and ends. */
async function warmUpChanges(client: BenchClient, waiting: BenchClient, name: string): Promise<void> {
  for (let index = 0; index < WARM_UP_CHANGES; index++) {
    const agent = `${name}-${index}`
    await spawnAgent(client, agent)
    const wait = waiting.post('/v1/agent/wait', body(agent))
    await client.post('/v1/agent/kill', body(agent))
    await wait
  }
}

function quantileOf(values: readonly number[], share: number): number | null {
  return values.length === 0
    ? null
    : Number(
        quantile(
          values.toSorted((left, right) => left - right),
          share,
        ).toFixed(1),
      )
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline;) {
    if (await condition()) return
    await pause(50)
  }
  throw new Error('It did not come to pass within two minutes')
}

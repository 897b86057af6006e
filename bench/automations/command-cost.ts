/**
 * `npm run bench:command-cost -- --base <folder>`: what automations cost a command. The folder has the source of before
 * them. A message to an agent is timed there, here, and here with ten integrations that match, in turns: at full load,
 * and at a steady rate. The last line is JSON. Options: --rounds 12 --seconds 3 --clients 16 --per-second 20 --agents 50000
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BenchClient } from '../http-client.ts'
import { Receiver } from './receiver.ts'
import { seedAgents } from './seed-agents.ts'
import { setStage, type Stage } from './stage.ts'
import { median, round } from './statistics.ts'
import { openCatalog } from './write-resource.ts'

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    'per-second': { type: 'string', default: '20' },
    agents: { type: 'string', default: '50000' },
  },
})
if (values.base === undefined) throw new Error('Say where the source of before is: --base <folder>')
const rounds = Number(values.rounds)
const load = { clients: Number(values.clients), seconds: Number(values.seconds) }
const perSecond = Number(values['per-second'])
const agents = Number(values.agents)
const INTEGRATIONS = 10

/** One of the things compared. */
class Side {
  readonly name: string
  readonly stage: Stage
  readonly #clients: readonly BenchClient[]
  readonly perSecond: number[] = []
  readonly steadyMs: number[] = []
  #next = 0

  private constructor(name: string, stage: Stage, clients: readonly BenchClient[]) {
    this.name = name
    this.stage = stage
    this.#clients = clients
  }

  static async open(name: string, stage: Stage): Promise<Side> {
    const { write, close } = await openCatalog(stage.baseUrl, stage.adminKey)
    await write('quota', 'default', { liveAgents: 10_000_000 })
    close()
    await seedAgents(stage, agents)
    const clients = await Promise.all(
      Array.from({ length: load.clients }, () => BenchClient.open(stage.baseUrl, stage.adminKey)),
    )
    return new Side(name, stage, clients)
  }

  /** Each agent in turn, so that no queue grows. */
  async #queue(client: BenchClient | undefined): Promise<void> {
    this.#next = (this.#next + 1) % agents
    const agentId = { workspace: 'default', agent: [`r${this.#next}`] }
    await client?.post('/v1/agent/queue', JSON.stringify({ agentId, description: 'more' }))
  }

  async loadFully(): Promise<void> {
    await this.#loadFor(load.seconds / 3)
    this.perSecond.push(await this.#loadFor(load.seconds))
  }

  /** Returns how many were done in a second. */
  async #loadFor(seconds: number): Promise<number> {
    let done = 0
    const startedAt = performance.now()
    await Promise.all(
      this.#clients.map(async (client) => {
        while (performance.now() - startedAt < seconds * 1000) {
          await this.#queue(client)
          done += 1
        }
      }),
    )
    return (done / (performance.now() - startedAt)) * 1000
  }

  /** The median of one client that sends at a steady rate. */
  async loadSteadily(): Promise<void> {
    const took: number[] = []
    const everyMs = 1000 / perSecond
    const startedAt = performance.now()
    for (let count = 0; count < load.seconds * perSecond; count++) {
      await pause(Math.max(0, startedAt + count * everyMs - performance.now()))
      const before = performance.now()
      await this.#queue(this.#clients[0])
      took.push(performance.now() - before)
    }
    this.steadyMs.push(median(took))
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.stage.stop()
  }
}

const receiver = await Receiver.start()
const sides: Side[] = []
try {
  const before = await Side.open('before', await setStage({}, values.base))
  sides.push(before)
  const none = await Side.open('none', await setStage())
  sides.push(none)
  const ten = await Side.open('ten', await setStage({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1' }))
  sides.push(ten)
  // Its deliveries are another process's matter, which does not run: what is left is the command itself.
  const apart = await Side.open('apart', await setStage({ SKEIN_ROLES: 'api' }))
  sides.push(apart)
  for (const { stage } of [ten, apart]) await integrate(stage)
  for (let count = 0; count < rounds; count++) {
    // The other way round in every other round, so that no one always comes first.
    const order = count % 2 === 0 ? sides : sides.toReversed()
    for (const side of order) await side.loadSteadily()
    // Not `ten`: what it has to deliver afterwards would slow down all the others.
    for (const side of order) if (side !== ten) await side.loadFully()
  }
  const slower = (side: Side, figure: (one: Side) => readonly number[], isRate: boolean): number => {
    const base = figure(side === none ? before : none)
    const ratios = figure(side).map((value, index) => value / (base[index] ?? NaN))
    return round((isRate ? 1 / median(ratios) : median(ratios)) * 100 - 100, 1)
  }
  for (const side of sides) {
    const full = side === ten ? '' : `${median(side.perSecond).toFixed(0)}/s at full load, `
    console.log(`${side.name.padEnd(8)} ${full}${median(side.steadyMs).toFixed(2)} ms at ${perSecond}/s`)
  }
  const rates = (side: Side) => side.perSecond
  const times = (side: Side) => side.steadyMs
  console.log(
    JSON.stringify({
      rounds,
      noneSlowerPercent: { full: slower(none, rates, true), steady: slower(none, times, false), goal: 3 },
      tenSlowerPercent: { apart: slower(apart, rates, true), steady: slower(ten, times, false), goal: 15 },
    }),
  )
} finally {
  for (const side of sides) await side.close()
  receiver.stop()
}

async function integrate({ baseUrl, adminKey }: Stage): Promise<void> {
  const { write, close } = await openCatalog(baseUrl, adminKey)
  for (let index = 0; index < INTEGRATIONS; index++) {
    const document = { url: receiver.url(`/${index}`), events: ['follow-up.queued'] }
    await write('integration', `hook-${index}`, document)
  }
  close()
}

/**
 * `npm run bench`: throughput and latency of the agent operations over HTTP, each next to the same operation of a bare
 * engine in the same second. Options: --agents 1000,100000 --clients 64 --rounds 5 --seconds 1 --only status,list
 * measures these and what they need, --save keeps the figures for the plots of docs/performance.md.
 *
 * `npm run bench -- --guard` is short. It compares CPU times, and fails if an operation has become dearer by half, or if
 * it would not notice that.
 */
import { parseArgs } from 'node:util'
import { DataCheck } from './checks.ts'
import { setComparison, type Comparison } from './comparison.ts'
import { CpuMeter } from './cpu-meter.ts'
import { regressions } from './guard.ts'
import { BenchClient } from './http-client.ts'
import {
  bare,
  OPERATIONS,
  selectOperations,
  skein,
  type Contender,
  type OperationName,
} from './operations.ts'
import { printRounds } from './print.ts'
import { saveResult, type ScaleResult } from './results.ts'
import {
  cpuRatioOf,
  ratioOf,
  runRounds,
  spreadOf,
  type RoundOptions,
  type Rounds,
  type Side,
} from './rounds.ts'
import { seedRestingAgents } from './seed.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string' },
    clients: { type: 'string', default: '64' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    guard: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
})
const clients = Number(values.clients)
const only = values.only?.split(',')
const operations = only ? selectOperations(only) : OPERATIONS
const needed = operations.filter((name) => only?.includes(name) === false)
if (needed.length > 0) console.log(`Measured too, because they are needed: ${needed.join(', ')}`)
const options: RoundOptions = {
  rounds: Number(values.rounds ?? (values.guard ? '3' : '5')),
  seconds: Number(values.seconds ?? (values.guard ? '0.5' : '1')),
  warmUpSeconds: values.guard ? 1 : 4,
  operations,
}
const scales = (values.agents ?? (values.guard ? '2000' : '1000,10000,100000,1000000')).split(',').map(Number)

const GUARD_ATTEMPTS = 3

const saved: ScaleResult[] = []
let last: Rounds | undefined
for (const scale of scales) {
  // A separate stage for each scale, so that only the number of agents differs.
  const stage = await setComparison()
  try {
    last = await compare(stage, scale)
    saved.push({ agents: scale, operations: resultsOf(last) })
    if (values.save) {
      const { rounds, seconds } = options
      await saveResult('operations', { clients, rounds, seconds, scales: saved })
    }
  } finally {
    await stage.stop()
  }
}
if (last) console.log(JSON.stringify({ ratios: ratiosOf(last) }))

async function compare(stage: Comparison, scale: number): Promise<Rounds> {
  const agentAt = await seedRestingAgents(stage, scale)
  const check = new DataCheck(stage)
  await check.requireSound()
  const meter = await CpuMeter.open(stage.ownerUrl)
  try {
    const sides = [
      {
        ...(await openSide(
          skein({ count: scale, at: (index) => agentAt('0', index) }),
          stage.baseUrl,
          stage,
        )),
        cpu: () => meter.read(stage.serverPid),
      },
      {
        ...(await openSide(bare({ count: scale, at: (index) => agentAt('1', index) }), stage.bareUrl, stage)),
        cpu: () => meter.read(stage.barePid),
      },
    ] as const
    const rounds = await runRounds(...sides, options)
    console.log(
      `\n${scale.toLocaleString('en')} agents at rest, ${clients} clients, ${options.rounds} rounds of ${options.seconds} s`,
    )
    printRounds(rounds)
    if (values.guard) await guard(rounds, sides)
    for (const side of sides) for (const each of Object.values(side.clients).flat()) each.close()
    await check.requireSound()
    // Spawned agents are neighbours and run at the same time, so without messages to others there are fewer.
    if (operations.includes('queue')) await check.requireUpdatesInPlace()
    return rounds
  } finally {
    await meter.close()
  }
}

async function openSide(contender: Contender, url: string, keys: Comparison): Promise<Omit<Side, 'cpu'>> {
  const open = (key: string) => Promise.all(Array.from({ length: clients }, () => BenchClient.open(url, key)))
  return { contender, clients: { caller: await open(keys.adminKey), runner: await open(keys.runnerKey) } }
}

async function guard(first: Rounds, sides: readonly [Side, Side]): Promise<void> {
  let rounds = first
  let slower = slowerIn(rounds)
  // Again, if a neighbour on the machine may be to blame: what has really become slower stays so.
  for (let attempt = 1; slower.size > 0 && attempt < GUARD_ATTEMPTS; attempt++) {
    console.log(`  again, because of ${[...slower.keys()].join(', ')}`)
    rounds = await runRounds(...sides, options)
    const now = slowerIn(rounds)
    slower = new Map([...slower].filter(([name]) => now.has(name)))
  }
  if (slower.size > 0) throw new Error(`Dearer than before:\n  ${[...slower.values()].join('\n  ')}`)
  const cpuMsOf = (name: OperationName) => spreadOf(rounds[name].map((pair) => pair.skein.cpuMs)).median
  const planted = Object.fromEntries(
    options.operations.map((name) => [name, Math.ceil(cpuMsOf(name) / cpuMsOf('status'))]),
  )
  await requireNoticed(sides, planted)
}

/** Everything that was made dearer must be noticed. Repeated, because the bare engine can be slow in one round. */
async function requireNoticed(
  sides: readonly [Side, Side],
  planted: NonNullable<RoundOptions['planted']>,
): Promise<void> {
  let missed = options.operations
  for (let attempt = 1; missed.length > 0 && attempt <= GUARD_ATTEMPTS; attempt++) {
    if (attempt > 1) console.log(`  again, because nothing was noticed of ${missed.join(', ')}`)
    const dearer = slowerIn(await runRounds(...sides, { ...options, rounds: 1, planted }))
    for (const name of missed) if (dearer.has(name)) console.log(`  a dearer ${name} would be noticed`)
    missed = missed.filter((name) => !dearer.has(name))
  }
  if (missed.length > 0)
    throw new Error(`The guard did not notice that these became dearer: ${missed.join(', ')}`)
}

function slowerIn(rounds: Rounds): Map<OperationName, string> {
  return regressions((name) => cpuRatioOf(rounds[name]))
}

function resultsOf(rounds: Rounds): ScaleResult['operations'] {
  return Object.fromEntries(
    options.operations.map((name) => {
      const pairs = rounds[name]
      const median = (of: (pair: (typeof pairs)[number]) => number) => spreadOf(pairs.map(of)).median
      return [
        name,
        {
          perSecond: median((pair) => pair.skein.perSecond),
          p50Ms: median((pair) => pair.skein.p50Ms),
          p99Ms: median((pair) => pair.skein.p99Ms),
          cpuMs: median((pair) => pair.skein.cpuMs),
          barePerSecond: median((pair) => pair.bare.perSecond),
          bareCpuMs: median((pair) => pair.bare.cpuMs),
          ratio: ratioOf(pairs),
          cpuRatio: cpuRatioOf(pairs),
        },
      ]
    }),
  )
}

function ratiosOf(rounds: Rounds): Record<string, number> {
  return Object.fromEntries(
    options.operations.map((name) => [name, Number(ratioOf(rounds[name]).median.toFixed(3))]),
  )
}

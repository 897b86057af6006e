import { OPERATIONS, type OperationName } from './operations.ts'
import { cpuRatioOf, ratioOf, runRatio, spreadOf, type Rounds, type Spread } from './rounds.ts'

const GOALS: Readonly<Partial<Record<OperationName, number>>> = {
  status: 0.85,
  list: 0.7,
  queue: 0.75,
  spawn: 0.6,
}
const RUN_GOAL = 0.5

/** One line for each operation: medians over the rounds, and the ratio with its range. */
export function printRounds(rounds: Rounds): void {
  console.log(
    `  ${'operation'.padEnd(16)}${['Skein/s', 'p50 ms', 'p99 ms', 'bare/s', 'CPU ms', 'bare CPU', 'CPU ratio'].map(cell).join('')}   ratio [range]`,
  )
  for (const name of OPERATIONS) {
    const pairs = rounds[name]
    if (pairs.length === 0) continue
    const median = (of: (pair: (typeof pairs)[number]) => number) => spreadOf(pairs.map(of)).median
    const cells = [
      median(({ skein }) => skein.perSecond).toFixed(0),
      median(({ skein }) => skein.p50Ms).toFixed(1),
      median(({ skein }) => skein.p99Ms).toFixed(1),
      median(({ bare }) => bare.perSecond).toFixed(0),
      median(({ skein }) => skein.cpuMs).toFixed(2),
      median(({ bare }) => bare.cpuMs).toFixed(2),
      cpuRatioOf(pairs).median.toFixed(2),
    ]
    console.log(`  ${name.padEnd(16)}${cells.map(cell).join('')}   ${describe(ratioOf(pairs), GOALS[name])}`)
  }
  if (rounds.claim.length === 0 || rounds.complete.length === 0) return
  const indent = ' '.repeat(7 * WIDTH)
  console.log(`  ${'claim + complete'.padEnd(16)}${indent}   ${describe(runRatio(rounds), RUN_GOAL)}`)
}

const WIDTH = 10

function cell(text: string): string {
  return text.padStart(WIDTH)
}

function describe({ median, least, most }: Spread, goal: number | undefined): string {
  const range = `${median.toFixed(2)} [${least.toFixed(2)}–${most.toFixed(2)}]`
  return goal === undefined ? range : `${range}, goal ${goal.toFixed(2)}`
}

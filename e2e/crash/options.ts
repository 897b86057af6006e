import { parseArgs } from 'node:util'

export interface CrashOptions {
  readonly seconds: number
  readonly kills: number
  readonly clients: number
  readonly agents: number
  readonly treeSize: number
  readonly roundSeconds: number
  readonly restSeconds: number
  readonly faultEveryMs: number
  readonly seed: number
}

export interface CommandLine extends CrashOptions {
  readonly help: boolean
  readonly isPlanted: boolean
  /** Names of planted bugs; empty means all. */
  readonly names: readonly string[]
}

export const CRASH_USAGE = `npm run test:crash -- [options]

Clients send commands while servers, runners and PostgreSQL are killed and connections are cut. The last line is JSON.

  --seconds <n>         how long clients send commands at least (default 180)
  --kills <n>           go on until so many processes were killed (default 0)
  --seed <n>            repeats what is sent and what is done to whom, though not the races between them
  --clients <n>         how many clients at once (default 24)
  --agents <n>          how many agents they share in each round (default 160)
  --tree-size <n>       agents of the tree that is grown and killed over and over (default 100)
  --round-seconds <n>   length of a round, after which everything is checked (default 60)
  --rest-seconds <n>    how long it may take then until nothing moves any more (default 60)
  --fault-ms <n>        time between two faults, on average (default 900)
  --planted [name...]   plant known bugs into a copy, one at a time: each must be caught within 120 s`

export function readOptions(args: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '180' },
      kills: { type: 'string', default: '0' },
      clients: { type: 'string', default: '24' },
      agents: { type: 'string', default: '160' },
      'tree-size': { type: 'string', default: '100' },
      'round-seconds': { type: 'string', default: '60' },
      'rest-seconds': { type: 'string', default: '60' },
      'fault-ms': { type: 'string', default: '900' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  if (positionals.length > 0 && !values.planted) throw new Error(CRASH_USAGE)
  return {
    help: values.help,
    isPlanted: values.planted,
    names: positionals,
    seconds: count(values.seconds),
    kills: count(values.kills),
    clients: count(values.clients),
    agents: count(values.agents),
    treeSize: count(values['tree-size']),
    roundSeconds: count(values['round-seconds']),
    restSeconds: count(values['rest-seconds']),
    faultEveryMs: count(values['fault-ms']),
    seed: count(values.seed),
  }
}

function count(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`${text} is not a number.\n\n${CRASH_USAGE}`)
}

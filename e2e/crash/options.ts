import { readTestOptions } from '../test-options.ts'

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
  const { numbers, ...chosen } = readTestOptions(args, CRASH_USAGE, {
    seconds: 180,
    kills: 0,
    clients: 24,
    agents: 160,
    'tree-size': 100,
    'round-seconds': 60,
    'rest-seconds': 60,
    'fault-ms': 900,
  })
  const { seconds, kills, clients, agents, seed } = numbers
  return {
    ...chosen,
    seconds,
    kills,
    clients,
    agents,
    seed,
    treeSize: numbers['tree-size'],
    roundSeconds: numbers['round-seconds'],
    restSeconds: numbers['rest-seconds'],
    faultEveryMs: numbers['fault-ms'],
  }
}

import { readTestOptions } from '../test-options.ts'

export interface Options {
  readonly pulls: number
  readonly rounds: number
  readonly starts: number
  readonly seed: number
}

export interface CommandLine extends Options {
  readonly help: boolean
  readonly isPlanted: boolean
  /** Names of planted bugs; empty means all. */
  readonly names: readonly string[]
}

export const USAGE = `npm run test:pull-requests -- [options]

Reviewers comment on pull requests of agents on an emulated GitHub. Every webhook comes five times at once, at two
servers and out of order; servers and PostgreSQL are killed, and some answers of the host get lost. Each review must
lead to one message, and each thread to one answer; strangers reach nobody. Meanwhile people ask for agents in issues,
with a label or a mention and then with another mention: each issue must have one agent, and each request one reply.
The last line is JSON.

  --pulls <n>          how many pull requests (default 10)
  --rounds <n>         how many reviews of each (default 20)
  --starts <n>         how many issues, at most 50 (default 40)
  --seed <n>           repeats who is killed when
  --planted [name...]  plant known bugs into a copy, one at a time: each must be caught`

export function readOptions(args: string[]): CommandLine {
  const { numbers, ...chosen } = readTestOptions(args, USAGE, { pulls: 10, rounds: 20, starts: 40 })
  return { ...chosen, ...numbers }
}

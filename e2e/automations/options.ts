import { readTestOptions } from '../test-options.ts'

export interface Options {
  readonly seconds: number
  readonly kills: number
  readonly restSeconds: number
  readonly seed: number
}

export interface CommandLine extends Options {
  readonly help: boolean
  readonly isPlanted: boolean
  /** Names of planted bugs; empty means all. */
  readonly names: readonly string[]
}

export const USAGE = `npm run test:automations -- [options]

40 agents emit 20 events a second to a good, a flaky and a slow receiver, six schedules fire every second or two, a chat
and a mailbox are told when their agents finish, and 20 triggers get each delivery five times at once, while servers
and PostgreSQL are killed. Then every event must have arrived, in order, and again only where its answer was lost; each
firing and each delivery has had its effect once. The last line is JSON.

  --seconds <n>        how long this goes on at least (default 60)
  --kills <n>          go on until so many processes were killed (default 0)
  --rest-seconds <n>   how long nothing may arrive then although something is missing (default 120)
  --seed <n>           repeats who is killed when
  --planted [name...]  plant known bugs into a copy, one at a time: each must be caught`

export function readOptions(args: string[]): CommandLine {
  const { numbers, ...chosen } = readTestOptions(args, USAGE, { seconds: 60, kills: 0, 'rest-seconds': 120 })
  const { seconds, kills, seed } = numbers
  return { ...chosen, seconds, kills, seed, restSeconds: numbers['rest-seconds'] }
}

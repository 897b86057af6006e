import { parseArgs } from 'node:util'

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

40 agents emit 20 events a second to a good, a flaky and a slow receiver while servers and PostgreSQL are killed. Then
every event must have arrived, in order, and again only where its answer was lost. The last line is JSON.

  --seconds <n>        how long events are emitted at least (default 60)
  --kills <n>          go on until so many processes were killed (default 0)
  --rest-seconds <n>   how long it may take then until everything has arrived (default 120)
  --seed <n>           repeats who is killed when
  --planted [name...]  plant known bugs into a copy, one at a time: each must be caught`

export function readOptions(args: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '60' },
      kills: { type: 'string', default: '0' },
      'rest-seconds': { type: 'string', default: '120' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  if (positionals.length > 0 && !values.planted) throw new Error(USAGE)
  return {
    help: values.help,
    isPlanted: values.planted,
    names: positionals,
    seconds: Number(values.seconds),
    kills: Number(values.kills),
    restSeconds: Number(values['rest-seconds']),
    seed: Number(values.seed),
  }
}

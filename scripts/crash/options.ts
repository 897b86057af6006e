import { parseArgs } from 'node:util'

export interface CrashOptions {
  readonly seconds: number
  readonly clients: number
  readonly agents: number
  readonly serverKills: number
  readonly postgresKills: number
  readonly runnerKills: number
  readonly seed: number
}

export const CRASH_USAGE = `npm run test:crash -- [options]

  --seconds <n>          how long clients send commands (default 180)
  --clients <n>          how many clients at once (default 32)
  --agents <n>           how many agents they share (default 200)
  --server-kills <n>     SIGKILLs of servers; by default 30 in 180 seconds
  --postgres-kills <n>   kills of PostgreSQL; by default 6 in 180 seconds
  --runner-kills <n>     SIGKILLs of runners; by default 20 in 180 seconds
  --seed <n>             repeats what is sent and when something is killed`

export function readOptions(args: string[]): CrashOptions {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '180' },
      clients: { type: 'string', default: '32' },
      agents: { type: 'string', default: '200' },
      'server-kills': { type: 'string' },
      'postgres-kills': { type: 'string' },
      'runner-kills': { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const seconds = count(values.seconds)
  /** As often per minute as in the full test. */
  const share = (kills: number): string => String(Math.max(1, Math.round((kills * seconds) / 180)))
  return {
    seconds,
    clients: count(values.clients),
    agents: count(values.agents),
    serverKills: count(values['server-kills'] ?? share(30)),
    postgresKills: count(values['postgres-kills'] ?? share(6)),
    runnerKills: count(values['runner-kills'] ?? share(20)),
    seed: count(values.seed),
  }
}

function count(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`${text} is not a number.\n\n${CRASH_USAGE}`)
}

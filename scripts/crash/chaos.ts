import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import type { Installation } from './installation.ts'
import type { CrashOptions } from './options.ts'
import type { Supervised } from './supervised.ts'

export interface KillCounts {
  server: number
  postgres: number
  runner: number
}

/** Kills what it is told to, at moments that the seed decides, until the numbers are reached. */
export async function wreakHavoc(
  { postgres, servers, runners }: Installation,
  options: CrashOptions,
  random: Random,
  done: KillCounts,
): Promise<void> {
  const startedAt = performance.now()
  for (const { atMs, kind } of schedule(options, random)) {
    await pause(Math.max(0, startedAt + atMs - performance.now()))
    if (kind === 'postgres') {
      await postgres.kill()
      await pause(100 + random.below(900))
      await postgres.start()
    } else {
      await killOne(kind === 'server' ? servers : runners, random)
    }
    done[kind]++
  }
}

/** Whichever is up; when all are down, the first that comes up. */
async function killOne(processes: readonly Supervised[], random: Random): Promise<void> {
  for (;;) {
    const ready = processes.filter(({ isReady }) => isReady)
    if (ready.length > 0 && random.pick(ready).kill()) return
    await pause(50)
  }
}

function schedule(
  { seconds, serverKills, postgresKills, runnerKills }: CrashOptions,
  random: Random,
): { atMs: number; kind: keyof KillCounts }[] {
  const times = (kind: keyof KillCounts, amount: number) =>
    Array.from({ length: amount }, (_, index) => ({
      kind,
      // Spread over the whole time, each somewhere within its share.
      atMs: ((index + random.next()) / amount) * (seconds * 1000 * 0.94) + seconds * 20,
    }))
  return [
    ...times('server', serverKills),
    ...times('postgres', postgresKills),
    ...times('runner', runnerKills),
  ].sort((left, right) => left.atMs - right.atMs)
}

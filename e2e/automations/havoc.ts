import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresKill } from '@skein/local-postgres'
import type { Random } from '@skein/testkit'
import { untilReady } from '../crash/installation/install.ts'
import type { Supervised } from '../crash/installation/supervised.ts'
import type { Installation } from './installation.ts'
import type { Outage } from './lost-answers.ts'
import { query } from './query.ts'

const WORK_MS = 900
const STALL_EVERY_MS = 2_000
const STALLED = 0.3

/** Longer than a server may hold an endpoint, so that another takes it over while the first thinks it has it. */
const FROZEN_MS = 23_000
const FREEZE_EVERY_MS = 20_000

/** What was killed or frozen, and when. */
export class Kills {
  readonly outages: Outage[] = []
  servers = 0
  databases = 0
  freezes = 0
  frozen: Supervised | undefined
}

/** Kills servers, and sometimes PostgreSQL, until there was enough of it. Everything runs again afterwards. */
export async function killUntil(
  { servers, postgres }: Installation,
  random: Random,
  {
    kills,
    isEnough,
    workMs = WORK_MS,
  }: { readonly kills: Kills; readonly isEnough: () => boolean; readonly workMs?: number },
): Promise<void> {
  while (!isEnough()) {
    // On a busy machine servers take long to start: between two kills, all of them do some work.
    await untilReady(servers)
    await pause(workMs * (0.5 + random.next()))
    if (random.chance(0.15)) {
      const from = performance.now()
      kills.databases++
      await postgres.kill(random.pick<PostgresKill>(['every-process', 'postmaster', 'immediate']))
      await pause(random.below(800))
      await postgres.start()
      kills.outages.push({ from, until: performance.now() })
    } else if (random.pick(servers.filter((server) => server !== kills.frozen)).kill()) {
      const at = performance.now()
      kills.outages.push({ from: at, until: at })
      kills.servers++
    }
  }
  await untilReady(servers)
}

/** Suspends one server after the other for a while. It goes on as if nothing had happened, but others have its work. */
export async function freezeServers(
  { servers }: Installation,
  random: Random,
  { kills, signal }: { readonly kills: Kills; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await pause(FREEZE_EVERY_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const server = random.pick(servers)
    if (!server.isReady) continue
    const from = performance.now()
    kills.freezes++
    kills.frozen = server
    await server.freeze(FROZEN_MS)
    kills.frozen = undefined
    kills.outages.push({ from, until: performance.now() })
  }
}

/**
 * Takes schedules and triggers from their holders, as if those had stalled for longer than they may. Also, nobody has to
 * wait until the time of a killed holder is over. Some have to, so that firings are missed and caught up on.
 */
export async function stallHolders({ postgres }: Installation, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(STALL_EVERY_MS)
    await query(postgres, takeHolds(STALLED)).catch(() => undefined)
  }
}

/** Lets everything that waits for a killed holder go on. */
export async function releaseHolds({ postgres }: Installation): Promise<void> {
  await query(postgres, takeHolds(1))
}

const takeHolds = (share: number) => `
  update schedule_timer set due_at = now() where due_at > now() and due_at < 'infinity' and random() < ${share};
  update schedule_turn set due_at = now() where due_at > now();
  update trigger_state set held_until = '-infinity', due_at = now() where held_until > now() and random() < ${share};
  select 1 as done`

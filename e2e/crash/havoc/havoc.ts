import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@skein/testkit'
import { untilReady, type Installation } from '../installation/install.ts'
import { FAULTS, killAtClaim, type Havoc } from './faults.ts'

/** Inflicts faults at random times, every `everyMs` on average, until the signal. Restores everything at the end. */
export async function wreakHavoc(
  havoc: Havoc,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
  const { random } = havoc
  // At least once in every round, because the other faults rarely hit this moment.
  await killAtClaim(havoc)
  let next = performance.now()
  while (!signal.aborted) {
    next += untilNext(random, everyMs)
    await pause(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {})
    if (!signal.aborted) await random.weighted(FAULTS)(havoc)
    // A fault that took long is not compensated: otherwise the machine would never recover.
    next = Math.max(next, performance.now() - everyMs)
  }
  await Promise.all(havoc.thaws)
  await recover(havoc.target)
}

function untilNext(random: Random, everyMs: number): number {
  return -Math.log(1 - random.next()) * everyMs
}

async function recover({ servers, runners, postgres }: Installation): Promise<void> {
  await postgres.start()
  await untilReady([...servers, ...runners])
}

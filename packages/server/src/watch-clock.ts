import type { DatabaseClock } from '@skein/store'
import type { FastifyBaseLogger } from 'fastify'
import { repeatAlone } from './http/repeat-alone.ts'

const LOOK_INTERVAL_MS = 5_000

/** A clock that is further off is not being synchronized. */
export const MAX_SKEW_MS = 1_000

/** Follows the database's time, and logs when this machine's clock is off. Returns a function that stops it. */
export function watchClock(clock: DatabaseClock, log: FastifyBaseLogger): () => void {
  let wasOff = false
  const look = async (): Promise<void> => {
    try {
      await clock.look()
    } catch {
      // The database is unavailable: the timer continues.
      return
    }
    const skewMs = clock.skewMs
    const isOff = Math.abs(skewMs) > MAX_SKEW_MS
    if (isOff && !wasOff) {
      log.warn(
        { skewMs },
        'this machine’s clock differs from the database’s, which is authoritative: synchronize it with NTP',
      )
    }
    if (!isOff && wasOff) log.info('this machine’s clock agrees with the database’s again')
    wasOff = isOff
  }
  void look()
  const timer = repeatAlone(look, LOOK_INTERVAL_MS)
  return () => clearInterval(timer)
}

import type { NotificationBus } from '@skein/store'
import type { FastifyBaseLogger } from 'fastify'
import { repeatAlone } from './http/repeat-alone.ts'

const CHECK_INTERVAL_MS = 15_000
const ECHO_TIMEOUT_MS = 5_000
const WARN_AGAIN_MS = 60 * 60 * 1000

/**
 * Checks that notifications of other servers would arrive here, and logs when they would not: everything still works
 * then, but up to five seconds late. Returns a function that stops it.
 */
export function watchNotifications(bus: NotificationBus, log: FastifyBaseLogger): () => void {
  let warnedAt: number | undefined
  let isStopped = false
  const check = async (): Promise<void> => {
    await bus.check(ECHO_TIMEOUT_MS)
    if (isStopped) return
    if (!bus.isLosing) {
      if (warnedAt !== undefined) log.info('notifications of the database arrive again')
      warnedAt = undefined
    } else if (warnedAt === undefined || performance.now() - warnedAt > WARN_AGAIN_MS) {
      warnedAt = performance.now()
      log.warn(
        'notifications of the database do not arrive, so waits and watches are up to 5 seconds late: ' +
          'set SKEIN_LISTEN_DATABASE_URL to an address without a pooler',
      )
    }
  }
  void check()
  const timer = repeatAlone(check, CHECK_INTERVAL_MS)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

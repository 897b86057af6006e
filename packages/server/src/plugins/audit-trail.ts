import type { EngineResources } from '@skein/engine'
import type { FastifyInstance } from 'fastify'

/** How long frequent events are counted before the total is recorded. */
const SUM_EVERY_MS = 10 * 60_000
/** Several times in the 15 seconds between the last request of a tenant that moves and the last copy of its rows. */
const SUM_LEAVING_EVERY_MS = 3_000

export function installAuditTrail(app: FastifyInstance, { auditTrail, clock }: EngineResources): void {
  const report = (error: unknown) => app.log.warn({ err: error }, 'the audit could not be written')
  auditTrail.reportFailures(report)
  const timers = [
    setInterval(() => void auditTrail.flush(clock.now()), SUM_EVERY_MS),
    setInterval(() => void auditTrail.flushLeaving(clock.now()).catch(report), SUM_LEAVING_EVERY_MS),
  ]
  for (const timer of timers) timer.unref()
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer)
    await auditTrail.flush(clock.now())
  })
}

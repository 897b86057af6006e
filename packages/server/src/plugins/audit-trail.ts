import type { EngineResources } from '@skein/engine'
import type { FastifyInstance } from 'fastify'

/** How long frequent events are counted before the total is recorded. */
const SUM_EVERY_MS = 10 * 60_000

export function installAuditTrail(app: FastifyInstance, { auditTrail, clock }: EngineResources): void {
  auditTrail.reportFailures((error) => app.log.warn({ err: error }, 'the audit could not be written'))
  const timer = setInterval(() => void auditTrail.flush(clock.now()), SUM_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await auditTrail.flush(clock.now())
  })
}

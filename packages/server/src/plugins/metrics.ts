import { timingSafeEqual } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { ServerMetrics } from '../metrics/server-metrics.ts'

/** Metrics for Prometheus. */
export function installMetrics(app: FastifyInstance, config: Config, engine: EngineResources): void {
  const pools = config.SKEIN_METRICS_POOLS.split(',').filter((pool) => pool !== '')
  const metrics = new ServerMetrics(engine, pools)
  app.addHook('onClose', async () => metrics.close())
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation?.id ?? 'none'
    metrics.observeRequest(operation, reply.statusCode, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!isWelcome(config.SKEIN_METRICS_TOKEN, request.headers.authorization)) {
      throw new SkeinError('CREDENTIAL_INVALID')
    }
    void reply.type(metrics.contentType)
    return metrics.text()
  })
}

function isWelcome(token: string, authorization: string | undefined): boolean {
  if (token === '') return true
  const [expected, given] = [Buffer.from(`Bearer ${token}`), Buffer.from(authorization ?? '')]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

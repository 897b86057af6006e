import { timingSafeEqual } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'

/** Metrics for Prometheus. Labels have few values and never name a tenant. */
export function installMetrics(
  app: FastifyInstance,
  config: Config,
  { clock, database, wakeups }: EngineResources,
): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'skein_' })
  const duration = new Histogram({
    name: 'skein_http_request_duration_seconds',
    help: 'Time from the request’s head to the end of the answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const connections = new Gauge({
    name: 'skein_database_connections',
    help: 'Connections of this server to PostgreSQL, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = database.connections
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  const waiting = new Gauge({
    name: 'skein_waiting_requests',
    help: 'Requests that wait for something to happen: waits, watches, polls, heartbeats.',
    registers: [registry],
    collect() {
      this.set(wakeups.waiting)
    },
  })
  const skew = new Gauge({
    name: 'skein_clock_skew_seconds',
    help: 'How far this machine’s clock is ahead of the database’s, which is the one that counts.',
    registers: [registry],
    collect() {
      this.set((clock.skewMs ?? 0) / 1000)
    },
  })
  app.addHook('onClose', async () => {
    registry.clear()
    skew.reset()
    connections.reset()
    waiting.reset()
  })
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation?.id ?? 'none'
    duration.observe({ operation, status: reply.statusCode.toString() }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!isWelcome(config.SKEIN_METRICS_TOKEN, request.headers.authorization)) {
      throw new SkeinError('CREDENTIAL_INVALID')
    }
    void reply.type(registry.contentType)
    return registry.metrics()
  })
}

function isWelcome(token: string, authorization: string | undefined): boolean {
  if (token === '') return true
  const [expected, given] = [Buffer.from(`Bearer ${token}`), Buffer.from(authorization ?? '')]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

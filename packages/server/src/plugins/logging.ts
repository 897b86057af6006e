import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import type { Caller } from '@skein/core'
import { tryParseLease } from '@skein/engine'
import { logOptions } from '@skein/host/telemetry'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

type RunLease = NonNullable<Caller['lease']>

export function loggerOptions(config: Config) {
  return {
    ...logOptions({ service: 'skein-server', level: config.SKEIN_LOG_LEVEL }),
    // A request's address and headers say more than a log should keep.
    serializers: { req: ({ method }: { method: string }) => ({ method }) },
  }
}

/** One line per response: who asked for what. Bodies and query strings are never logged. */
export function installLogging(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { operation } = request.routeOptions.config
    const level = reply.statusCode >= 500 ? 'warn' : operation ? 'info' : 'debug'
    const line = {
      method: request.method,
      operation: operation?.id,
      path: request.url.split('?', 1)[0],
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      tenant: request.caller?.tenant.org,
      account: request.caller?.account,
      token: request.caller?.token,
      ...runOf(request),
    }
    // A response may end outside of the context of its request.
    context.with(request.traceContext ?? ROOT_CONTEXT, () => request.log[level](line, 'answered'))
  })
}

/** The run that sent the request, or whose end it reports. */
function runOf({ caller, body, routeOptions }: FastifyRequest): { runId?: string; attempt?: number } {
  const lease = routeOptions.config.operation?.id === 'completeRun' ? leaseIn(body) : caller?.lease
  return lease === undefined ? {} : { runId: lease.runId.toString(), attempt: lease.attempt }
}

function leaseIn(body: unknown): RunLease | undefined {
  const lease: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'lease') : undefined
  return typeof lease === 'string' ? tryParseLease(lease) : undefined
}

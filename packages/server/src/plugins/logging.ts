import { isSpanContextValid, type Span } from '@opentelemetry/api'
import { logOptions } from '@skein/host/telemetry'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

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
    request.log[level](
      {
        method: request.method,
        operation: operation?.id,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        tenant: request.caller?.tenant.org,
        account: request.caller?.account,
        token: request.caller?.token,
        traceId: traceIdOf(request.span),
      },
      'answered',
    )
  })
}

/** Without an exporter every span has the same empty id, which is noise. */
function traceIdOf(span: Span | undefined): string | undefined {
  const spanContext = span?.spanContext()
  return spanContext && isSpanContextValid(spanContext) ? spanContext.traceId : undefined
}

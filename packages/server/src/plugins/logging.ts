import { isSpanContextValid, type Span } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

/** Possible secrets are redacted from every line. */
const SECRETS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'req.headers.cookie',
  'payload',
  'key',
  'secret',
  'signingKey',
  'value',
  'connectionString',
]

export function loggerOptions(config: Config) {
  return {
    level: config.SKEIN_LOG_LEVEL,
    redact: { paths: SECRETS, censor: '[redacted]' },
    // A request's address and headers say more than a log should keep.
    serializers: { req: ({ method }: { method: string }) => ({ method }) },
    base: { service: 'skein-server' },
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

import { isSpanContextValid, type Span } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

/** Whatever may hold a secret is cut out of every line, whoever logs it. */
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
    // The address and headers of a request say more than a log needs to keep.
    serializers: { req: ({ method }: { method: string }) => ({ method }) },
    base: { service: 'skein-server' },
  }
}

/** One line for each answer, with who asked for what. Bodies and query strings are never logged. */
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

/** Without an exporter every span has the same empty id, which would only be noise. */
function traceIdOf(span: Span | undefined): string | undefined {
  const spanContext = span?.spanContext()
  return spanContext && isSpanContextValid(spanContext) ? spanContext.traceId : undefined
}

import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'

const tracer = trace.getTracer('skein-server')

/** One span per request, continuing the caller's trace. Free while no exporter is set. */
export function installTracing(app: FastifyInstance): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', async (request) => {
    const { operation } = request.routeOptions.config
    if (!operation) return
    request.span = tracer.startSpan(
      operation.id,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': operation.path,
          'skein.request_id': request.id,
        },
      },
      propagation.extract(context.active(), request.headers),
    )
  })
  app.addHook('onResponse', async (request, reply) => {
    const { span } = request
    if (!span) return
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (request.caller) span.setAttribute('skein.tenant', request.caller.tenant.org)
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
}

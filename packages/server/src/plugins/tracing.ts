import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import type { Operation } from '@skein/contract'
import { failSpan, formatTraceparent, readTraceparent } from '@skein/host/telemetry'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const tracer = trace.getTracer('skein-server')

/** One span per request, continuing the caller's trace. Free while no exporter is set. */
export function installTracing(app: FastifyInstance): void {
  app.decorateRequest('traceContext', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request.routeOptions.config
    if (operation) request.traceContext = startSpan(operation, request)
    inContext(request, done)
  })
  // Reading the body leaves the context.
  app.addHook('preValidation', (request, _reply, done) => inContext(request, done))
  app.addHook('onResponse', async (request, reply) => {
    const span = request.traceContext && trace.getSpan(request.traceContext)
    if (!span) return
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (request.caller) span.setAttribute('skein.tenant', request.caller.tenant.org)
    if (reply.statusCode >= 500) failSpan(span, String(reply.statusCode))
    span.end()
  })
}

/** The span of a request, as in the header `traceparent`. A server that does not trace passes on the caller's. */
export function traceparentOf({ traceContext, headers }: FastifyRequest): string | undefined {
  const spanContext = traceContext && trace.getSpanContext(traceContext)
  const given = headers['traceparent']
  const own = formatTraceparent(spanContext)
  if (own !== '') return own
  return typeof given === 'string' && readTraceparent(given) ? given : undefined
}

/** Never the path or the query, which name resources and can have a secret. */
function startSpan({ id, path, method }: Operation, request: FastifyRequest) {
  const caller = propagation.extract(ROOT_CONTEXT, request.headers)
  const attributes = {
    'http.request.method': method,
    'http.route': path,
    'url.scheme': request.protocol,
    'skein.operation': id,
    'skein.request_id': request.id,
  }
  const span = tracer.startSpan(`${method} ${path}`, { kind: SpanKind.SERVER, attributes }, caller)
  return trace.setSpan(caller, span)
}

function inContext({ traceContext, routeOptions }: FastifyRequest, done: () => void): void {
  if (traceContext && !isUnending(routeOptions.config.operation)) context.with(traceContext, done)
  else done()
}

/** Watches and waits go on for hours, and heartbeats never stop. Nobody could read a trace of all their statements. */
function isUnending(operation: Operation | undefined): boolean {
  return operation?.streams === true || operation?.id === 'waitForAgent' || operation?.id === 'heartbeatRuns'
}

import { context, isSpanContextValid, trace } from '@opentelemetry/api'

/** For log lines, as OpenTelemetry names them. Empty outside of a trace. */
export interface TraceFields {
  readonly trace_id?: string
  readonly span_id?: string
}

export function traceFields(): TraceFields {
  const spanContext = trace.getSpanContext(context.active())
  if (!spanContext || !isSpanContextValid(spanContext)) return {}
  return { trace_id: spanContext.traceId, span_id: spanContext.spanId }
}

import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/** Version 00 of W3C Trace Context: trace, span, flags. Always 55 characters. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span that a `traceparent` names; undefined for any other text. */
export function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? []
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(spanContext) ? spanContext : undefined
}

/** Empty for the span that stands for none while tracing is off. */
export function formatTraceparent(spanContext: SpanContext | undefined): string {
  if (!spanContext || !isSpanContextValid(spanContext)) return ''
  const { traceId, spanId, traceFlags } = spanContext
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

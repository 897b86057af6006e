import { SpanKind, trace } from '@opentelemetry/api'
import { failSpan, typeOfError } from '@skein/host/telemetry'

const tracer = trace.getTracer('skein-store')

/** A statement's span has its name, never its values. Only within a trace: what servers do all the time begins none. */
export function inStatementSpan<Result>(name: string, send: () => Promise<Result>): Promise<Result> {
  if (trace.getActiveSpan()?.isRecording() !== true) return send()
  const span = tracer.startSpan(name, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
  })
  return send().then(
    (result) => {
      span.end()
      return result
    },
    (error: unknown) => {
      failSpan(span, typeOfError(error))
      span.end()
      throw error
    },
  )
}

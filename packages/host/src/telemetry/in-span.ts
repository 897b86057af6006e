import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api'

/** Does the work in a span, which is active meanwhile and ends with it. */
export function inSpan<Result>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
  parent: Context = context.active(),
): Promise<Result> {
  const span = tracer.startSpan(name, options, parent)
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work(span)
    } catch (error) {
      failSpan(span, typeOfError(error))
      throw error
    } finally {
      span.end()
    }
  })
}

/** Never with a message: it may quote a prompt, a secret or a value. */
export function failSpan(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** A code such as `ECONNREFUSED` or `40001` if the error has one, otherwise its class. */
export function typeOfError(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const code: unknown = Reflect.get(error, 'reason') ?? Reflect.get(error, 'code')
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : error.constructor.name
}

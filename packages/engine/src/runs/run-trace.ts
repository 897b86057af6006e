import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { formatTraceparent, inSpan, readTraceparent } from '@skein/host/telemetry'
import type { ClaimedRun, Message } from '@skein/store'
import { activeLinks } from '../commands/run-traces.ts'

const tracer = trace.getTracer('skein-engine')

/** Assigns a run in its own trace rather than in that of the runner's poll. The work gets the parent of its spans. */
export function inRunTrace<Result>(
  { traceparent, runId, attempt }: ClaimedRun,
  work: (traceparent: string) => Promise<Result>,
): Promise<Result> {
  const origin = readTraceparent(traceparent)
  if (!origin) return work('')
  const attributes = { 'skein.run_id': runId.toString(), 'skein.attempt': attempt }
  return inSpan(
    tracer,
    'assign run',
    { links: activeLinks(), attributes },
    // A server that does not trace passes on the span that it was given.
    (span) => work(formatTraceparent(span.spanContext())),
    trace.setSpanContext(ROOT_CONTEXT, origin),
  )
}

/** More than a span may link to would be cut there anyway. */
const MAX_LINKS = 100

/** The spans that sent a run's messages, except for the one that queued the run itself. */
export function traceLinksOf({ traceparent }: ClaimedRun, messages: readonly Message[]): string[] {
  const traces = new Set(messages.flatMap((message) => message.traceparent ?? []))
  return [...traces].slice(0, MAX_LINKS).filter((each) => each !== traceparent)
}

import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { formatTraceparent, inSpan, readTraceparent } from '@skein/host/telemetry'
import type { AgentReader, ClaimedRun } from '@skein/store'
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

/** The spans that sent a run's messages, except for the one that queued the run itself. */
export async function findTraceLinks(
  reader: AgentReader,
  { agentId, traceparent }: ClaimedRun,
  messages: readonly { readonly followUpId: string }[],
): Promise<string[]> {
  const ids = messages.map(({ followUpId }) => followUpId)
  const traces = await reader.followUpTraces(agentId, ids)
  return traces.filter((each) => each !== traceparent)
}

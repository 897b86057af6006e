import { context, SpanKind, trace, type Link } from '@opentelemetry/api'
import { agentKey, type AgentChange, type AgentIdentity } from '@skein/core'
import { formatTraceparent } from '@skein/host/telemetry'

const tracer = trace.getTracer('skein-engine')

/** What a command knows about its own trace. */
export interface CommandTrace {
  /** Its span, as in the header `traceparent`; absent if nobody traces, or if no caller sent it. */
  readonly traceparent?: string
  /** Whether a run sent it. */
  readonly isFromRun?: boolean
}

/**
 * The span that each queued run comes from, by the agent's id. A run belongs to the trace of the caller's command that
 * queued it. Any other run begins its own trace, which links to what queued it: the end of an earlier run or of a
 * child, a parent's command, or nothing for a timer. Otherwise a trace would grow for as long as an agent lives.
 */
export function traceQueuedRuns(
  changes: readonly AgentChange[],
  target: string | undefined,
  { traceparent, isFromRun = false }: CommandTrace,
): ReadonlyMap<string, string> {
  const traces = new Map<string, string>()
  for (const change of changes) {
    const runId = newRunOf(change)
    if (runId === undefined) continue
    const { id, identity } = change.agent
    const isMeant = agentKey(identity) === target && !isFromRun
    const origin = isMeant && traceparent !== undefined ? traceparent : beginTrace(identity, runId)
    if (origin !== '') traces.set(id, origin)
  }
  return traces
}

/** Undefined for another attempt: it stays in its run's trace. */
function newRunOf({ before, events }: AgentChange): bigint | undefined {
  const queued = events.map(({ event }) => event).findLast(({ type }) => type === 'run.queued')
  if (queued?.type !== 'run.queued' || queued.runId === before?.run?.runId) return undefined
  return queued.runId
}

function beginTrace(identity: AgentIdentity, runId: bigint): string {
  const span = tracer.startSpan('queue run', {
    root: true,
    kind: SpanKind.PRODUCER,
    links: activeLinks(),
    attributes: runAttributes(identity, runId),
  })
  span.end()
  return formatTraceparent(span.spanContext())
}

/** The span in progress, for the messages that the end of a run sends. */
export function activeTraceparent(): string | undefined {
  return formatTraceparent(trace.getSpanContext(context.active())) || undefined
}

/** To the span in progress, if any. */
export function activeLinks(): Link[] {
  const active = trace.getSpanContext(context.active())
  return active ? [{ context: active }] : []
}

/** The same names as on the runner's spans. */
function runAttributes({ workspace, account, path }: AgentIdentity, runId: bigint) {
  return {
    'skein.workspace': workspace,
    'skein.owner': account,
    'skein.agent': path.join('/'),
    'skein.run_id': runId.toString(),
  }
}

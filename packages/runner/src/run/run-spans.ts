import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import type { Assignment } from '@skein/contract'
import { failSpan, inSpan, readTraceparent } from '@skein/host/telemetry'
import type { TurnResult } from '../backends/backend.ts'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import { nameRun, type RunEnd } from '../runner-event.ts'
import { tracer } from '../tracer.ts'

/** One attempt of a run, in the trace of the command that queued it. */
export function inRunSpan(assignment: Assignment, work: () => Promise<RunEnd>): Promise<RunEnd> {
  const { tenant, workspace, owner, agent, runId, attempt } = nameRun(assignment)
  const origin = readTraceparent(assignment.traceparent)
  const options = {
    kind: SpanKind.CONSUMER,
    links: toLinks(assignment.traceLinks),
    attributes: {
      'skein.tenant': tenant,
      'skein.workspace': workspace,
      'skein.owner': owner,
      'skein.agent': agent,
      'skein.run_id': runId,
      'skein.attempt': attempt,
    },
  }
  const parent = origin ? trace.setSpanContext(ROOT_CONTEXT, origin) : ROOT_CONTEXT
  return inSpan(
    tracer,
    'run',
    options,
    async (span) => {
      const end = await work()
      span.setAttributes({ 'skein.end_reason': end.reason, 'skein.cost_usd': end.costUsd })
      if (end.reason === 'failed' || end.reason === 'lost') failSpan(span, end.reason)
      return end
    },
    parent,
  )
}

/** A service of an earlier release sends none. */
function toLinks(traceLinks: readonly string[] | undefined) {
  return (traceLinks ?? []).flatMap((text) => {
    const context = readTraceparent(text)
    return context ? [{ context }] : []
  })
}

/** A step of a run, such as preparing its workspace. */
export function inStep<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return inSpan(tracer, name, {}, work)
}

/** A turn of the agent's program. Model calls and tools are its children. */
export function inTurnSpan(
  { agentId, persona, model }: Assignment,
  { backend, provider }: OfferedBackend,
  work: () => Promise<TurnResult>,
): Promise<TurnResult> {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider ?? backend.name,
    'gen_ai.agent.name': persona,
    'gen_ai.agent.id': agentId.agent.join('/'),
    'gen_ai.request.model': model,
  }
  return inSpan(tracer, `invoke_agent ${persona}`, { attributes }, async (span) => {
    const result = await work()
    if (result.session) span.setAttribute('gen_ai.conversation.id', result.session.id)
    if (result.status === 'failed') failSpan(span, result.error.kind)
    return result
  })
}

import type { AgentChange, AgentEvent, AgentState } from '@skein/core'
import type { EngineEvents } from '@skein/engine'
import { readTraceparent } from '@skein/host/telemetry'
import type { FastifyBaseLogger } from 'fastify'

const LINES: Readonly<Partial<Record<AgentEvent['type'], string>>> = {
  'run.queued': 'a run was queued',
  'run.started': 'a run was assigned',
  'run.attempt-lost': 'an attempt of a run was lost: its runner is silent',
  'run.attempt-failed': 'an attempt of a run failed',
  'run.paused': 'a run was paused',
  'run.ended': 'a run ended',
}

/** One line per step of a run, with the fields of the runner's lines. Never what was said. */
export function logRuns(events: EngineEvents, log: FastifyBaseLogger): () => void {
  return events.subscribe((event) => {
    if (event.type !== 'changed') return
    const { tenantId, changes, traces } = event
    for (const change of changes) logChange({ tenantId, ...namesOf(change.agent) }, change, traces, log)
  })
}

function logChange(
  names: object,
  { agent, events }: AgentChange,
  traces: ReadonlyMap<string, string>,
  log: FastifyBaseLogger,
): void {
  for (const { event } of events) {
    const line = LINES[event.type]
    if (line === undefined) continue
    // A run that the end of another one queues is not part of the trace in progress.
    const origin = event.type === 'run.queued' ? readTraceparent(traces.get(agent.id)) : undefined
    const trace = origin && { trace_id: origin.traceId, span_id: origin.spanId }
    log.info({ ...names, ...factsOf(event), ...trace }, line)
  }
}

function namesOf({ identity: { workspace, account, path } }: AgentState) {
  return { workspace, owner: account, agent: path.join('/') }
}

function factsOf(event: AgentEvent) {
  return {
    ...('runId' in event && { runId: event.runId.toString() }),
    ...('attempt' in event && { attempt: event.attempt }),
    ...(event.type === 'run.ended' && { reason: event.reason }),
    ...(event.type === 'run.attempt-failed' && { reason: event.error.code }),
  }
}

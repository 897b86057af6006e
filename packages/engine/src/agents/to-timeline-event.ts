import { formatInt64, formatTimestamp, type Tenant, type TimelineEvent } from '@skein/contract'
import type { AgentEvent, AgentIdentity } from '@skein/core'
import type { ActedEvent } from '@skein/store'
import { describeFailure, describeUsage, toAgentId, toDollars, toFollowUp } from './describe-agent.ts'

/** A recorded event as callers see it. */
export function toTimelineEvent(
  { sequence, at, actor, event }: ActedEvent,
  identity: AgentIdentity,
  tenant: Tenant,
): TimelineEvent {
  const envelope = {
    sequence: formatInt64(sequence),
    agentId: toAgentId(identity, tenant),
    time: formatTimestamp(at),
    actor,
  }
  return { ...envelope, ...describe(event, tenant) }
}

type Described = {
  [Type in AgentEvent['type']]: Omit<Extract<TimelineEvent, { type: Type }>, keyof Envelope>
}[AgentEvent['type']]
type Envelope = Pick<TimelineEvent, 'sequence' | 'agentId' | 'time' | 'actor'>

function describe(event: AgentEvent, tenant: Tenant): Described {
  switch (event.type) {
    case 'agent.spawned':
      return {
        type: event.type,
        description: event.description,
        incarnation: event.incarnation.toString(),
        resumed: event.resumed === true,
      }
    case 'agent.settings-changed': {
      const { persona, model, reasoningEffort, serviceTier, fastMode } = event.settings
      return { type: event.type, persona, model, reasoningEffort, serviceTier, fastMode }
    }
    case 'agent.budget-changed':
      return { type: event.type, maxCost: toDollars(event.maxCostMicros) }
    case 'agent.budget-reached':
      return {
        type: event.type,
        percent: event.percent,
        maxCost: toDollars(event.maxCostMicros),
        spent: toDollars(event.spentMicros),
      }
    case 'follow-up.queued':
      return { ...event, followUp: toFollowUp({ state: 'QUEUED', body: event.followUp }) }
    case 'follow-up.deferred':
      return { ...event, followUp: toFollowUp({ state: 'DEFERRED', body: event.followUp }) }
    case 'follow-up.delivered':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.queued':
      return { type: event.type, runId: formatInt64(event.runId) }
    case 'run.started': {
      const { attempt, runner } = event
      return { type: event.type, runId: formatInt64(event.runId), attempt, runner }
    }
    case 'run.progressed':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.message':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.tool-started':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.tool-called':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.pushed':
      return { ...event, runId: formatInt64(event.runId), files: [...event.files] }
    case 'run.metered': {
      const { totalTokens: _total, ...usage } = describeUsage(event)
      return { type: event.type, runId: formatInt64(event.runId), ...usage, model: event.model ?? '' }
    }
    case 'run.stop-requested':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.attempt-lost':
      return { ...event, runId: formatInt64(event.runId) }
    case 'run.attempt-failed':
      return {
        type: event.type,
        runId: formatInt64(event.runId),
        attempt: event.attempt,
        message: event.error.message,
      }
    case 'run.saved':
      return { type: event.type, runId: formatInt64(event.runId) }
    case 'run.paused': {
      const { attempt, until, message } = event
      const resumeTime = formatTimestamp(until)
      return { type: event.type, runId: formatInt64(event.runId), attempt, resumeTime, message }
    }
    case 'run.ended':
      return {
        type: event.type,
        runId: formatInt64(event.runId),
        reason: event.reason,
        message: event.message,
        error: describeFailure(event.error),
      }
    case 'task.activated':
      return { ...event, runId: formatInt64(event.runId) }
    case 'children.awaited':
      return { type: event.type, children: [...event.children] }
    case 'child.spawned':
      return { type: event.type, child: toAgentId(event.child, tenant) }
    case 'child.phase-changed':
      return { type: event.type, child: toAgentId(event.child, tenant), phase: event.phase }
    case 'agent.phase-changed':
    case 'follow-up.due':
    case 'follow-up.cleared':
    case 'follow-up.removed':
    case 'follow-up.dropped':
    case 'task.created':
    case 'task.updated':
    case 'task.removed':
      return event
  }
}

import {
  agentKey,
  parentIdentity,
  rootKey,
  toJson,
  toListedJson,
  type AgentChange,
  type AgentState,
  type RecordedEvent,
} from '@skein/core'
import { isTerminal } from '@skein/contract/facts'
import { tallyChanges } from './tally-changes.ts'
import type { ChangeRows, RowsBeside, TreeRows, TreeTotals } from './tree-rows.ts'

type Row<Part extends keyof TreeRows> =
  NonNullable<TreeRows[Part]> extends readonly (infer Element)[] ? Element : never

/** Derives the rows to write from a command's events. Nothing else is ever written. */
export function projectChanges(changes: readonly AgentChange[]): TreeRows {
  return { ...projectRows(changes), ...projectTotals(changes) }
}

/** Without what the changes of the whole command add up to. */
export function projectRows(changes: readonly AgentChange[]): ChangeRows {
  return {
    agents: changes.map(agentRow),
    events: happenings(changes).map(({ agent, recorded }) => ({
      agentId: agent.id,
      sequence: recorded.sequence.toString(),
      event: toJson(recorded.event),
    })),
    ...projectBeside(changes),
  }
}

export function projectTotals(changes: readonly AgentChange[]): TreeTotals {
  const live = changes.reduce((sum, { liveDelta }) => sum + liveDelta, 0)
  const bytes = changes.reduce((sum, { queuedBytesDelta }) => sum + queuedBytesDelta, 0)
  return {
    fleet: tallyChanges(changes),
    // Also if one agent begins a life and another ends: together that is 0.
    ...(changes.some(({ liveDelta }) => liveDelta !== 0) && { liveDelta: live }),
    ...(bytes !== 0 && { queuedBytesDelta: bytes }),
  }
}

/** Rows besides agents and timelines: messages, runs to claim, timers. */
export function projectBeside(changes: readonly AgentChange[]): RowsBeside {
  const all = happenings(changes)
  return {
    ...part('newFollowUps', all.flatMap(newFollowUp)),
    ...part('followUps', all.flatMap(changedFollowUp)),
    ...part('queuedRuns', changes.flatMap(queuedRun)),
    ...part('endedRuns', changes.flatMap(endedRun)),
    ...part('newTimers', all.flatMap(newTimer)),
    ...part('endedTimers', all.flatMap(endedTimer)),
  }
}

function part<Name extends keyof TreeRows>(
  name: Name,
  rows: readonly Row<Name>[],
): Partial<Pick<TreeRows, Name>> {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string
  return rows.length === 0 ? {} : ({ [name]: rows } as unknown as Pick<TreeRows, Name>)
}

interface Happening {
  readonly agent: AgentState
  readonly recorded: RecordedEvent
}

function happenings(changes: readonly AgentChange[]): Happening[] {
  return changes.flatMap(({ agent, events }) => events.map((recorded) => ({ agent, recorded })))
}

function agentRow({ agent, before, events }: AgentChange): Row<'agents'> {
  const { identity } = agent
  const above = parentIdentity(identity)
  return {
    id: agent.id,
    key: agentKey(identity),
    rootKey: rootKey(identity),
    parentKey: above ? agentKey(above) : '',
    ownerProvider: identity.ownerProvider,
    account: identity.account,
    workspace: identity.workspace,
    pool: agent.pool,
    phase: agent.phase,
    isTerminal: isTerminal(agent.phase),
    leaves: isTerminal(agent.phase) && (agent.session !== '' || agent.run?.startedAt !== undefined),
    isKnown: before !== undefined,
    labels: agent.labels,
    costMicros: agent.usage.costMicros.toString(),
    state: toJson(agent),
    listed: toListedJson(agent),
    createdAt: new Date(agent.createdAt).toISOString(),
    firstSequence: (agent.sequence - BigInt(events.length) + 1n).toString(),
    lastSequence: agent.sequence.toString(),
  }
}

function newFollowUp({ agent, recorded: { event, sequence } }: Happening): Row<'newFollowUps'>[] {
  if (event.type !== 'follow-up.queued' && event.type !== 'follow-up.deferred') return []
  return [
    {
      agentId: agent.id,
      followUpId: event.followUp.followUpId,
      state: event.type === 'follow-up.queued' ? 'QUEUED' : 'DEFERRED',
      body: event.followUp,
      position: sequence.toString(),
    },
  ]
}

function changedFollowUp({ agent, recorded: { event, sequence } }: Happening): Row<'followUps'>[] {
  switch (event.type) {
    case 'follow-up.due':
      // A due message joins the end of the queue.
      return [
        { agentId: agent.id, followUpId: event.followUpId, state: 'QUEUED', position: sequence.toString() },
      ]
    case 'follow-up.delivered':
      return [
        {
          agentId: agent.id,
          followUpId: event.followUpId,
          state: 'DELIVERED',
          runId: event.runId.toString(),
        },
      ]
    case 'follow-up.cleared':
      return [{ agentId: agent.id, followUpId: event.followUpId, state: 'CLEARED' }]
    case 'follow-up.removed':
      return [{ agentId: agent.id, followUpId: event.followUpId, state: 'REMOVED' }]
    case 'follow-up.dropped':
      return [{ agentId: agent.id, followUpId: event.followUpId, state: 'DROPPED' }]
    default:
      return []
  }
}

/** If one command ends a run and queues the next, only the next one's row is written. */
function lastRunEvent({ events }: AgentChange) {
  return events
    .map(({ event }) => event)
    .findLast(({ type }) => type === 'run.queued' || type === 'run.ended')
}

function queuedRun(change: AgentChange): Row<'queuedRuns'>[] {
  const event = lastRunEvent(change)
  if (event?.type !== 'run.queued') return []
  const { agent, before } = change
  return [
    {
      agentId: agent.id,
      agentKey: agentKey(agent.identity),
      rootKey: rootKey(agent.identity),
      isNew: before?.run === undefined || before.run.state === 'ended',
      pool: agent.pool,
      runId: event.runId.toString(),
      attempt: event.attempt,
      availableAt: new Date(event.availableAt).toISOString(),
    },
  ]
}

function endedRun(change: AgentChange): Row<'endedRuns'>[] {
  return lastRunEvent(change)?.type === 'run.ended' ? [change.agent.id] : []
}

function newTimer({ agent, recorded: { event } }: Happening): Row<'newTimers'>[] {
  if (event.type !== 'follow-up.deferred' || event.followUp.deliverAt === undefined) return []
  return [
    {
      agentId: agent.id,
      followUpId: event.followUp.followUpId,
      agentKey: agentKey(agent.identity),
      rootKey: rootKey(agent.identity),
      dueAt: new Date(event.followUp.deliverAt).toISOString(),
    },
  ]
}

function endedTimer({ agent, recorded: { event } }: Happening): Row<'endedTimers'>[] {
  if (
    event.type !== 'follow-up.due' &&
    event.type !== 'follow-up.removed' &&
    event.type !== 'follow-up.dropped'
  ) {
    return []
  }
  return [{ agentId: agent.id, followUpId: event.followUpId }]
}

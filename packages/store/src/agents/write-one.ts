import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { TreeRows } from './tree-rows.ts'
import type { TreeWrite } from './tree-write.ts'

type Part<Name extends keyof TreeRows> =
  NonNullable<TreeRows[Name]> extends readonly (infer Row)[] ? Row : never

/** The rows of a command that changes one agent, with at most one of each other kind. */
interface OneChange extends Pick<TreeRows, 'fleet' | 'events' | 'liveDelta' | 'queuedBytesDelta'> {
  readonly agent: Part<'agents'>
  readonly newFollowUp: Part<'newFollowUps'> | undefined
  readonly followUp: Part<'followUps'> | undefined
  readonly queuedRun: Part<'queuedRuns'> | undefined
  readonly endsRun: boolean
}

const PARAMETERS = 48

const write = statement(
  'write_change',
  `select write_change(${Array.from({ length: PARAMETERS }, (_, index) => `$${index + 1}`).join(', ')}),
     write_audit($1, $2, $${PARAMETERS + 1})`,
)

/** Undefined if there is more to write than `write_change` takes. */
export function asOneChange(rows: TreeRows): OneChange | undefined {
  const { agents, newFollowUps = [], followUps = [], queuedRuns = [], newTimers, endedTimers } = rows
  const [agent] = agents
  if (!agent || newTimers || endedTimers) return undefined
  if ([agents, newFollowUps, followUps, queuedRuns].some(({ length }) => length > 1)) return undefined
  return {
    agent,
    newFollowUp: newFollowUps[0],
    followUp: followUps[0],
    queuedRun: queuedRuns[0],
    endsRun: rows.endedRuns !== undefined,
    fleet: rows.fleet,
    events: rows.events,
    ...(rows.liveDelta !== undefined && { liveDelta: rows.liveDelta }),
    ...(rows.queuedBytesDelta !== undefined && { queuedBytesDelta: rows.queuedBytesDelta }),
  }
}

/** The values are in the order of the function's parameters. */
export function writeOneQuery(
  tenantId: string,
  at: number,
  { actor, audit, command }: TreeWrite,
  { agent, newFollowUp, followUp, queuedRun, endsRun, fleet, events, liveDelta, queuedBytesDelta }: OneChange,
): Query {
  const { counts, ...spent } = fleet
  return {
    statement: write,
    values: [
      tenantId,
      new Date(at),
      actor,
      agent.id,
      agent.key,
      agent.rootKey,
      agent.parentKey,
      agent.ownerProvider,
      agent.account,
      agent.workspace,
      agent.pool,
      agent.phase,
      agent.isTerminal,
      agent.leaves,
      JSON.stringify(agent.labels),
      agent.costMicros,
      JSON.stringify(agent.state),
      agent.createdAt,
      agent.isKnown,
      agent.firstSequence,
      agent.lastSequence,
      JSON.stringify(events.map(({ event }) => event)),
      newFollowUp?.followUpId,
      newFollowUp?.state,
      newFollowUp && JSON.stringify(newFollowUp.body),
      newFollowUp?.position,
      newFollowUp?.traceparent,
      followUp?.followUpId,
      followUp?.state,
      followUp?.runId,
      followUp?.position,
      queuedRun?.runId,
      queuedRun?.attempt,
      queuedRun?.availableAt,
      queuedRun?.isNew,
      queuedRun?.traceparent,
      endsRun,
      liveDelta,
      queuedBytesDelta,
      counts?.pending,
      counts?.running,
      counts?.waiting,
      counts?.asking,
      'hours' in spent || 'settled' in spent ? JSON.stringify(spent) : null,
      command.id,
      command.requestSha256,
      JSON.stringify(command.answer),
      JSON.stringify(agent.listed),
      audit && JSON.stringify(audit),
    ],
  }
}

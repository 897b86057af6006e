import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { ChangeRows, TreeTotals } from './tree-rows.ts'
import type { TreeWrite } from './tree-write.ts'

type FollowUp = NonNullable<ChangeRows['followUps']>[number]

const PARAMETERS = 41

const write = statement(
  'write_tree',
  `select write_tree(${Array.from({ length: PARAMETERS }, (_, index) => `$${index + 1}`).join(', ')}),
     write_audit($1, $2, $${PARAMETERS + 1}), count_queued_bytes($1, $${PARAMETERS + 2})`,
)

interface ManyRows {
  readonly rows: ChangeRows
  /** Whether any agent of the command, here or in another part, begins a life or ends. */
  readonly livesChange: boolean
  /** Only with the last part of a command. */
  readonly totals: TreeTotals | undefined
}

/** For any number of rows of one tree. The values are in the order of the function's parameters. */
export function writeManyQuery(
  tenantId: string,
  at: number,
  { actor, audit, command }: TreeWrite,
  { rows, livesChange, totals }: ManyRows,
): Query {
  const { agents, events, newFollowUps, queuedRuns, endedRuns, newTimers, endedTimers } = rows
  const followUps = rows.followUps && lastOfEach(rows.followUps)
  const [first] = agents
  const places = new Map(agents.map(({ id }, index) => [id, index + 1]))
  return {
    statement: write,
    values: [
      tenantId,
      new Date(at),
      actor,
      first?.rootKey,
      first?.ownerProvider,
      first?.account,
      first?.workspace,
      toArray(agents.map(({ id }) => id)),
      agents.map(({ key }) => key),
      agents.map(({ parentKey }) => parentKey),
      agents.map(({ pool }) => pool),
      toArray(agents.map(({ phase }) => phase)),
      toArray(agents.map(({ isTerminal }) => isTerminal)),
      toArray(agents.map(({ leaves }) => leaves)),
      toLines(agents.map(({ labels }) => labels)),
      toArray(agents.map(({ costMicros }) => costMicros)),
      toLines(agents.map(({ state }) => state)),
      toLines(agents.map(({ listed }) => listed)),
      toArray(agents.map(({ createdAt }) => createdAt)),
      toArray(agents.map(({ firstSequence }) => firstSequence)),
      toArray(agents.map(({ lastSequence }) => lastSequence)),
      toArray(events.map(({ agentId }) => places.get(agentId))),
      toArray(events.map(({ sequence }) => sequence)),
      toLines(events.map(({ event }) => event)),
      jsonOrNull(newFollowUps),
      followUps && toArray(followUps.map(({ agentId }) => agentId)),
      followUps?.map(({ followUpId }) => followUpId),
      followUps && toArray(followUps.map(({ state }) => state)),
      followUps && toArray(followUps.map(({ runId }) => runId)),
      followUps && toArray(followUps.map(({ position }) => position)),
      jsonOrNull(queuedRuns),
      endedRuns && toArray(endedRuns),
      jsonOrNull(newTimers),
      endedTimers && toArray(endedTimers.map(({ agentId }) => agentId)),
      endedTimers?.map(({ followUpId }) => followUpId),
      livesChange,
      totals?.liveDelta,
      jsonOrNull(totals?.fleet),
      totals && command.id,
      totals && command.requestSha256,
      totals && JSON.stringify(command.answer),
      totals && audit && JSON.stringify(audit),
      totals?.queuedBytesDelta,
    ],
  }
}

/** A set of rows can change each message once, so several changes of one become one that has the same effect. */
function lastOfEach(followUps: readonly FollowUp[]): readonly FollowUp[] {
  const last = new Map<string, FollowUp>()
  for (const followUp of followUps) {
    const key = `${followUp.agentId}/${followUp.followUpId}`
    const position = followUp.position ?? last.get(key)?.position
    last.set(key, position === undefined ? followUp : { ...followUp, position })
  }
  return [...last.values()]
}

/**
 * An array as PostgreSQL reads it, of values that need no quotes: ids, numbers, names of ours. The driver would look for
 * something to quote in each of them.
 */
function toArray(values: readonly (string | number | boolean | undefined)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`
}

/** One value in each line: JSON has no line break that is not escaped. */
function toLines(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join('\n')
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

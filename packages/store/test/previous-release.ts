import type { Query } from '../src/database/database.ts'
import type { TreeRows } from '../src/agents/tree-rows.ts'
import type { TreeWrite } from '../src/agents/tree-write.ts'

/** How servers of the release before write the rows of several agents. They do so while they are being replaced. */
export function writeAsBeforeQuery(
  tenantId: string,
  at: number,
  { actor, command }: Pick<TreeWrite, 'actor' | 'command'>,
  rows: TreeRows,
): Query {
  const { agents, events, fleet, newFollowUps, followUps, queuedRuns, newTimers, endedTimers } = rows
  return {
    statement: {
      name: 'write_changes_before',
      text: `select write_changes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
        count_queued_bytes($1, $17)`,
      columns: {},
    },
    values: [
      tenantId,
      new Date(at),
      actor,
      ...[agents, events, fleet, newFollowUps, followUps, queuedRuns].map((part) => JSON.stringify(part)),
      rows.endedRuns,
      ...[newTimers, endedTimers].map((part) => JSON.stringify(part)),
      rows.liveDelta,
      command.id,
      command.requestSha256,
      JSON.stringify(command.answer),
      rows.queuedBytesDelta,
    ],
  }
}

/** How servers of the release before load a tree with all descendants of its root. */
export function loadAsBeforeQuery(tenantId: string, root: string, commandId: Uint8Array): Query {
  return {
    statement: {
      name: 'load_tree_before',
      text: 'select load_tree($1, $2, $3, $4, $5, $6, $7) as loaded',
      columns: { loaded: 'json' },
    },
    values: [tenantId, root, commandId, null, [root], root, null],
  }
}

import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { projectChanges } from './project.ts'
import { asOneChange, writeOneQuery } from './write-one.ts'
import type { TreeRows } from './tree-rows.ts'
import type { TreeTraces, TreeWrite } from './tree-write.ts'

const writeMany = statement(
  'write_changes',
  `select write_changes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
     write_audit($1, $2, $17), count_queued_bytes($1, $18)`,
)

/** One statement writes all rows, including the command's record. */
export function writeTreeQuery(tenantId: string, at: number, write: TreeWrite): Query {
  const rows = withTraces(projectChanges(write.changes), write.traces)
  const one = asOneChange(rows)
  return one ? writeOneQuery(tenantId, at, write, one) : writeManyQuery(tenantId, at, write, rows)
}

/** For any number of rows. */
export function writeManyQuery(
  tenantId: string,
  at: number,
  { actor, audit, command }: TreeWrite,
  rows: TreeRows,
): Query {
  return {
    statement: writeMany,
    values: [
      tenantId,
      new Date(at),
      actor,
      JSON.stringify(rows.agents.map(({ isKnown: _isKnown, ...row }) => row)),
      JSON.stringify(rows.events),
      JSON.stringify(rows.fleet),
      ...[rows.newFollowUps, rows.followUps, rows.queuedRuns].map(jsonOrNull),
      rows.endedRuns ?? null,
      ...[rows.newTimers, rows.endedTimers].map(jsonOrNull),
      rows.liveDelta ?? null,
      command.id,
      command.requestSha256,
      JSON.stringify(command.answer),
      audit ? JSON.stringify(audit) : null,
      rows.queuedBytesDelta ?? null,
    ],
  }
}

/** Traces say where rows come from, not what they are: no event knows them. */
function withTraces(rows: TreeRows, traces: TreeTraces | undefined): TreeRows {
  if (!traces) return rows
  const { ofCommand, ofRuns } = traces
  return {
    ...rows,
    ...(rows.newFollowUps &&
      ofCommand !== undefined && {
        newFollowUps: rows.newFollowUps.map((row) => ({ ...row, traceparent: ofCommand })),
      }),
    ...(rows.queuedRuns && {
      queuedRuns: rows.queuedRuns.map((row) => {
        const traceparent = ofRuns.get(row.agentId)
        return traceparent === undefined ? row : { ...row, traceparent }
      }),
    }),
  }
}

function jsonOrNull(rows: readonly unknown[] | undefined): string | null {
  return rows === undefined ? null : JSON.stringify(rows)
}

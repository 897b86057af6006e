import type { AgentChange } from '@skein/core'
import type { AuditBasics } from '../audit/audit-store.ts'
import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { projectChanges } from './project.ts'
import type { TreeRows } from './tree-rows.ts'

/** Everything a command writes to a tree. */
interface TreeWrite {
  readonly actor: string
  readonly changes: readonly AgentChange[]
  readonly audit?: AgentAudit
  readonly traces?: TreeTraces
  /** The command's record, for retries. */
  readonly command: {
    readonly id: Uint8Array
    readonly requestSha256: Uint8Array
    readonly answer: unknown
  }
}

/** The spans that messages and runs come from, as in the header `traceparent`. */
export interface TreeTraces {
  /** Of the command itself, for the messages it sends. */
  readonly ofCommand: string | undefined
  /** Of each run it queues, by its agent's id. */
  readonly ofRuns: ReadonlyMap<string, string>
}

/** The audit entry of a command. Its name is that of the agent. */
export type AgentAudit = AuditBasics

const write = statement(
  'write_changes',
  `select write_changes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
     write_audit($1, $2, $17), count_queued_bytes($1, $18)`,
)

/** One statement writes all rows, including the command's record. */
export function writeTreeQuery(
  tenantId: string,
  at: number,
  { actor, changes, audit, traces, command }: TreeWrite,
): Query {
  const rows = withTraces(projectChanges(changes), traces)
  return {
    statement: write,
    values: [
      tenantId,
      new Date(at),
      actor,
      JSON.stringify(rows.agents),
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

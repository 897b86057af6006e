import { agentFromJson, type AgentState, type FollowUpBody } from '@skein/core'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

export interface PendingRecord {
  readonly state: 'QUEUED' | 'DEFERRED'
  readonly body: FollowUpBody
}

export interface StatusRecord {
  readonly agent: AgentState
  readonly treeCostMicros: bigint
  readonly pending: readonly PendingRecord[]
  readonly build: string
}

const read = statement('read_status', 'select * from read_status($1, $2)')

/** The operation that is asked for most, so it has a statement of its own that needs no transaction around it. */
export async function readStatusRecord(
  database: Database,
  tenantId: string,
  key: string,
): Promise<StatusRecord | undefined> {
  const row = await database.statement((session) =>
    session.row<{
      state: unknown
      tree_cost: string
      follow_ups: PendingRecord[] | null
      build: string | null
    }>(read, [tenantId, key]),
  )
  return (
    row && {
      agent: agentFromJson(row.state),
      treeCostMicros: BigInt(row.tree_cost),
      pending: row.follow_ups ?? [],
      build: row.build ?? '',
    }
  )
}

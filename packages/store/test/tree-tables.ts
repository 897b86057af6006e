import type { Client } from 'pg'
import type { TreeRows } from '../src/agents/tree-rows.ts'
import type { writeManyQuery } from '../src/agents/write-many.ts'

/** The tables that commands on trees write. */
const TABLES = [
  'agent',
  'audit',
  'budget_reservation',
  'budget_spend',
  'command',
  'fleet_count',
  'follow_up',
  'lease',
  'leftover',
  'live_agents',
  'outbox',
  'queued_bytes',
  'run',
  'spend',
  'tenant_turn',
  'timeline',
  'timer',
  'usage',
  'usage_by_label',
]

export async function dumpTables(server: Client): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const { rows } = await server.query<{ row: object }>(
      `select to_jsonb(t) - 'xid' ${table === 'outbox' ? `- 'id'` : ''} as row from ${table} t order by 1`,
    )
    tables[table] = rows.map(({ row }) => row)
  }
  return tables
}

/** All rows of a command in one part. */
export function asMany(rows: TreeRows): Parameters<typeof writeManyQuery>[3] {
  return { rows, totals: rows, livesChange: rows.liveDelta !== undefined }
}

import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const take = statement('take_leftovers', 'select * from take_leftovers($1, $2, $3, $4, $5)', {
  tenant_id: 'uuid',
  agent_id: 'uuid',
})
const drop = statement('drop_leftovers', 'select drop_leftovers($1, $2, $3)')

/** Locks the row, so that no runner takes it before the caller's transaction ends. */
const hold = statement(
  'leftover_hold',
  `select claimed_until > now() and not is_removed as claimed from leftover
   where tenant_id = skein_current_tenant() and agent_id = $1 for update`,
  { claimed: 'boolean' },
)

/** The leftovers a runner may remove. */
export interface LeftoverScope {
  /** Absent for a runner that serves all tenants. */
  readonly tenantId: string | undefined
  readonly pools: readonly string[]
}

export interface ClaimedLeftover {
  readonly tenantId: string
  readonly agentId: string
}

export async function takeLeftovers(
  transaction: Transaction,
  { tenantId, pools }: LeftoverScope,
  { endedBefore, amount, holdMs }: { endedBefore: number; amount: number; holdMs: number },
): Promise<ClaimedLeftover[]> {
  const values = [tenantId ?? null, pools, new Date(endedBefore), amount, holdMs]
  const rows = await transaction.rows(take, values)
  return rows.map((row) => ({ tenantId: row.tenant_id, agentId: row.agent_id }))
}

export async function dropLeftovers(
  transaction: Transaction,
  { tenantId, pools }: LeftoverScope,
  agentIds: readonly string[],
): Promise<void> {
  await transaction.execute(drop, [tenantId ?? null, pools, agentIds])
}

/** Whether a runner is removing the agent's leftovers. If not, none can start until this transaction ends. */
export async function isBeingRemoved(transaction: Transaction, agentId: string): Promise<boolean> {
  return (await transaction.row(hold, [agentId]))?.claimed === true
}

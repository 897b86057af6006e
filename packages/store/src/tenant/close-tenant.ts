import type { Tenant } from '@skein/contract'
import { agentFromJson, type AgentIdentity } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

/** Steps of deleting a tenant. They need the owner login, and can be repeated. */

const close = statement(
  'tenant_close',
  `update tenant set closed_at = coalesce(closed_at, now()) where provider = $1 and org = $2 returning id`,
  { id: 'uuid' },
)

/**
 * From now on, none of its keys work, except those of its runners: they still have to remove what they hold. Returns
 * its id; undefined if it doesn't exist.
 */
export async function closeTenant(
  transaction: Transaction,
  { provider, org }: Tenant,
): Promise<string | undefined> {
  return (await transaction.row(close, [provider, org]))?.id
}

const liveTrees = statement(
  'tenant_live_trees',
  `select r.state from agent r
   where r.tenant_id = $1 and r.parent_key = ''
     and exists (select from agent a where a.tenant_id = $1 and a.root_key = r.key and not a.is_terminal)
   limit 100`,
  { state: 'json' },
)

/** Roots of some trees with a live agent. */
export async function findLiveTrees(transaction: Transaction, tenantId: string): Promise<AgentIdentity[]> {
  const rows = await transaction.rows(liveTrees, [tenantId])
  return rows.map(({ state }) => agentFromJson(state).identity)
}

const expire = statement(
  'tenant_expire_leftovers',
  `update leftover set ended_at = '-infinity', attempts = case when $2 then 0 else attempts end
   where tenant_id = $1 and not is_removed`,
)

const held = statement(
  'tenant_leftovers',
  `select pool, count(*)::int as amount from leftover where tenant_id = $1 and not is_removed group by pool`,
  { pool: 'text', amount: 'int' },
)

/** Lets runners remove what they hold of the tenant's agents without waiting. With `again`, also what failed before. */
export async function expireLeftovers(
  transaction: Transaction,
  tenantId: string,
  { again }: { again: boolean },
): Promise<void> {
  await transaction.execute(expire, [tenantId, again])
}

/** Of how many agents runners still hold something, by pool. */
export function countLeftovers(
  transaction: Transaction,
  tenantId: string,
): Promise<{ pool: string; amount: number }[]> {
  return transaction.rows(held, [tenantId])
}

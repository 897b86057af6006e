import type { Provider, Tenant } from '@skein/contract'
import { agentFromJson, type AgentIdentity } from '@skein/core'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** Steps of deleting a tenant. They can be repeated. */

const close = statement('close_tenant', 'select close_tenant($1, $2, $3, $4)')
const take = statement('take_closed_tenant', 'select * from take_closed_tenant($1)', {
  id: 'uuid',
  provider: meant<Provider>('text'),
  org: 'text',
  closed_at: 'timestamptz',
  abandons_leftovers: 'boolean',
  emptied_at: 'timestamptz?',
  has_moved: 'boolean',
})
const delay = statement('delay_tenant_deletion', 'select delay_tenant_deletion($1, $2)')
const noteEmptied = statement('note_emptied_tenant', 'select note_emptied_tenant($1, $2)')
const remove = statement('delete_tenant', 'select delete_tenant($1)')

interface Closing {
  /** Whether what runners hold stays where it is. */
  readonly abandonsLeftovers: boolean
  /** Whether servers take the other steps. */
  readonly byServers: boolean
  /** Whether another cell serves it, so that only what it has left here is deleted. Default: not known. */
  readonly isLeft?: boolean
}

/**
 * From now on, none of its keys work, except those of its runners: they still have to remove what they hold.
 */
export async function closeTenant(
  transaction: Transaction,
  tenantId: string,
  { abandonsLeftovers, byServers, isLeft = false }: Closing,
): Promise<void> {
  await transaction.execute(close, [tenantId, abandonsLeftovers, byServers, isLeft])
}

/** A tenant that is being deleted. */
export interface ClosedTenant {
  readonly id: string
  readonly tenant: Tenant
  readonly closedAt: number
  readonly abandonsLeftovers: boolean
  /** When no table had a row of it any more. */
  readonly emptiedAt: number | undefined
  /** Whether it lives in another cell: only its rows are deleted here. */
  readonly hasMoved: boolean
}

/** One that servers are to delete, for a while. */
export async function takeClosedTenant(
  transaction: Transaction,
  holdMs: number,
): Promise<ClosedTenant | undefined> {
  const row = await transaction.row(take, [holdMs])
  return (
    row && {
      id: row.id,
      tenant: { provider: row.provider, org: row.org },
      closedAt: row.closed_at.getTime(),
      abandonsLeftovers: row.abandons_leftovers,
      emptiedAt: row.emptied_at?.getTime(),
      hasMoved: row.has_moved,
    }
  )
}

export async function delayDeletion(
  transaction: Transaction,
  tenantId: string,
  delayMs: number,
): Promise<void> {
  await transaction.execute(delay, [tenantId, delayMs])
}

export async function noteEmptiedTenant(
  transaction: Transaction,
  tenantId: string,
  isEmpty: boolean,
): Promise<void> {
  await transaction.execute(noteEmptied, [tenantId, isEmpty])
}

/** The last step: fails while any table with a reference to it has rows. */
export async function deleteTenantRow(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.execute(remove, [tenantId])
}

const liveTrees = statement(
  'tenant_live_trees',
  `select r.state from agent r
   where r.tenant_id = skein_current_tenant() and r.parent_key = ''
     and exists (select from agent a
       where a.tenant_id = skein_current_tenant() and a.root_key = r.key and not a.is_terminal)
   limit 100`,
  { state: 'json' },
)

/**
 * Roots of some trees of the transaction's tenant with a live agent. One whose state cannot be read must not keep the
 * others: it is passed to `onUnreadable`.
 */
export async function findLiveTrees(
  transaction: Transaction,
  onUnreadable: (error: unknown) => void,
): Promise<AgentIdentity[]> {
  const rows = await transaction.rows(liveTrees, [])
  return rows.flatMap(({ state }) => {
    try {
      return [agentFromJson(state).identity]
    } catch (error) {
      onUnreadable(error)
      return []
    }
  })
}

/** Agent by agent: merged, leftovers of all tenants would be read. */
const OWN_LEFTOVERS = `(
  select o.* from (select id from agent where tenant_id = skein_current_tenant() offset 0) a
  cross join lateral (select * from leftover where agent_id = a.id offset 0) o offset 0)`

/** Runners have tried it so often that they get it no more. */
const FAILED = 'attempts >= 10 and claimed_until < now()'

/** Those that failed before the deletion was last asked for are tried as often again. */
const expire = statement(
  'tenant_expire_leftovers',
  `with asked as (select delete_asked_at as at from tenant where id = skein_current_tenant())
   update leftover set ended_at = '-infinity', attempts = case
     when claimed_until < (select at from asked) then 0 else attempts end
   where agent_id = any (array(
     select l.agent_id from ${OWN_LEFTOVERS} l
     where not l.is_removed and (l.ended_at > '-infinity'
       or (l.attempts >= 10 and l.claimed_until < (select at from asked))) limit $1))`,
)

const held = statement(
  'tenant_leftovers',
  `select l.pool, count(*)::int as amount, count(*) filter (where ${FAILED})::int as failed
   from ${OWN_LEFTOVERS} l where not l.is_removed group by l.pool order by l.pool`,
  { pool: 'text', amount: 'int', failed: 'int' },
)

const EXPIRED_AT_ONCE = 2_000

/**
 * Lets runners remove what they hold of agents of the transaction's tenant without waiting, also what failed before the
 * deletion was last asked for. Whether there may be more.
 */
export async function expireLeftovers(transaction: Transaction): Promise<boolean> {
  return (await transaction.execute(expire, [EXPIRED_AT_ONCE])) === EXPIRED_AT_ONCE
}

export interface HeldLeftovers {
  readonly pool: string
  /** Of how many agents. */
  readonly amount: number
  /** Of these, how many are not tried any more. */
  readonly failed: number
}

/** What runners still hold of agents of the transaction's tenant, by pool. */
export function countLeftovers(transaction: Transaction): Promise<HeldLeftovers[]> {
  return transaction.rows(held, [])
}

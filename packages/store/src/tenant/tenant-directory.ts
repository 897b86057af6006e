import type { Provider, Tenant } from '@skein/contract'
import type { RowOf } from '../database/columns.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** These functions work without a tenant. They are for operators. */

const COLUMNS = {
  id: 'uuid',
  provider: meant<Provider>('text'),
  org: 'text',
  created_at: 'timestamptz',
  suspended_at: 'timestamptz?',
  closed_at: 'timestamptz?',
} as const

const describe = statement('describe_tenant', 'select * from describe_tenant($1)', COLUMNS)
const list = statement('list_tenants', 'select * from list_tenants($1, $2, $3)', COLUMNS)
const suspend = statement('suspend_tenant', 'select suspend_tenant($1, $2) as is_changed', {
  is_changed: 'boolean',
})
const ownRefusal = statement('own_tenant_hold', 'select tenant_hold(skein_current_tenant()) as hold', {
  hold: 'text?',
})

const ownHold = statement('own_tenant_was_held', 'select was_held(skein_current_tenant(), $1) as was_held', {
  was_held: 'boolean',
})

const leaving = statement('list_leaving_tenants', 'select id from list_leaving_tenants()', { id: 'uuid' })

export interface TenantRecord {
  readonly id: string
  readonly tenant: Tenant
  readonly createdAt: number
  readonly suspendedAt: number | undefined
  /** When its deletion began. */
  readonly closedAt: number | undefined
}

export async function describeTenant(
  transaction: Transaction,
  id: string,
): Promise<TenantRecord | undefined> {
  const row = await transaction.row(describe, [id])
  return row && toRecord(row)
}

interface TenantPage {
  /** Only tenants of this name. */
  readonly org: string | undefined
  readonly after: string
  readonly amount: number
}

/** In the order in which they were created. */
export async function listTenants(
  transaction: Transaction,
  { org, after, amount }: TenantPage,
): Promise<TenantRecord[]> {
  return (await transaction.rows(list, [org ?? null, after, amount])).map(toRecord)
}

/** Whether that changed anything. Has no effect on a tenant that is being deleted. */
export async function setSuspended(
  transaction: Transaction,
  id: string,
  isSuspended: boolean,
): Promise<boolean> {
  return (await transaction.row(suspend, [id, isSuspended]))?.is_changed === true
}

/** Why callers of the transaction's tenant are refused; undefined if they are not. */
export async function findOwnHold(transaction: Transaction): Promise<string | undefined> {
  return (await transaction.row(ownRefusal, []))?.hold ?? undefined
}

/** Whether runs of the transaction's tenant are held, or were within this time. */
export async function wasOwnTenantHeld(transaction: Transaction, withinMs: number): Promise<boolean> {
  return (await transaction.row(ownHold, [withinMs]))?.was_held === true
}

/** Tenants that are about to leave for another cell. Their rows can still be changed. */
export async function findLeavingTenants(transaction: Transaction): Promise<string[]> {
  return (await transaction.rows(leaving, [])).map(({ id }) => id)
}

function toRecord(row: RowOf<typeof COLUMNS>): TenantRecord {
  return {
    id: row.id,
    tenant: { provider: row.provider, org: row.org },
    createdAt: row.created_at.getTime(),
    suspendedAt: row.suspended_at?.getTime(),
    closedAt: row.closed_at?.getTime(),
  }
}

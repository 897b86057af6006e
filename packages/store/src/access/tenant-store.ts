import type { Tenant } from '@skein/contract'
import type { Transaction } from '../database/transaction.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

const find = statement('find_tenant', 'select find_tenant($1, $2) as id', { id: 'uuid?' })

/** Works without a tenant. Only for callers who may know that the tenant exists. */
export async function findTenantId(transaction: Transaction, tenant: Tenant): Promise<string | undefined> {
  const row = await transaction.row(find, [tenant.provider, tenant.org])
  return row?.id ?? undefined
}

const findAddressed = statement('find_addressed_tenant', 'select find_addressed_tenant($1, $2) as id', {
  id: 'uuid?',
})

/** For senders without a key. Also finds a tenant that is moving to another cell. */
export async function findAddressedTenantId(
  transaction: Transaction,
  tenant: Tenant,
): Promise<string | undefined> {
  const row = await transaction.row(findAddressed, [tenant.provider, tenant.org])
  return row?.id ?? undefined
}

const own = statement('tenant_own', 'select provider, org from tenant where id = skein_current_tenant()', {
  provider: meant<Tenant['provider']>('text'),
  org: 'text',
})

/** The transaction's tenant. */
export async function findOwnTenant(transaction: Transaction): Promise<Tenant> {
  const tenant = await transaction.row(own, [])
  if (!tenant) throw new Error('A transaction is bound to a tenant that exists')
  return tenant
}

const resumed = statement(
  'tenant_resumed',
  'select resumed_at from tenant where id = skein_current_tenant()',
  { resumed_at: 'timestamptz?' },
)

/** When the transaction's tenant was last resumed. */
export async function findResumedAt(transaction: Transaction): Promise<number | undefined> {
  return (await transaction.row(resumed, []))?.resumed_at?.getTime()
}

const arrived = statement(
  'tenant_arrived',
  `select case when move_id is not null then resumed_at end as arrived_at
   from tenant where id = skein_current_tenant()`,
  { arrived_at: 'timestamptz?' },
)

/** When the transaction's tenant came from another cell, or later, if it was resumed since. Undefined if it never did. */
export async function findArrivedAt(transaction: Transaction): Promise<number | undefined> {
  return (await transaction.row(arrived, []))?.arrived_at?.getTime()
}

const findForOwner = statement(
  'tenant_find',
  'select id, closed_at, emptied_at, move_step is not null as has_moved from tenant where provider = $1 and org = $2',
  { id: 'uuid', closed_at: 'timestamptz?', emptied_at: 'timestamptz?', has_moved: 'boolean' },
)

interface AnyTenant {
  readonly id: string
  /** When its deletion began. */
  readonly closedAt: number | undefined
  readonly emptiedAt: number | undefined
  /** Whether it lives in another cell, or is about to. */
  readonly hasMoved: boolean
}

/** Also finds a tenant that is being deleted. Needs the owner login. */
export async function findAnyTenant(
  transaction: Transaction,
  { provider, org }: Tenant,
): Promise<AnyTenant | undefined> {
  const row = await transaction.row(findForOwner, [provider, org])
  return (
    row && {
      id: row.id,
      closedAt: row.closed_at?.getTime(),
      emptiedAt: row.emptied_at?.getTime(),
      hasMoved: row.has_moved,
    }
  )
}

const create = statement('create_tenant', 'select * from create_tenant($1, $2, $3)', {
  id: 'uuid',
  is_new: 'boolean',
  is_closed: 'boolean',
})

/** The tenant of that name, which is new if there was none. */
export async function createTenant(
  transaction: Transaction,
  id: string,
  tenant: Tenant,
): Promise<{ id: string; isNew: boolean; isClosed: boolean }> {
  const row = await transaction.row(create, [id, tenant.provider, tenant.org])
  if (!row) throw new Error('A tenant that was just created can be found')
  return { id: row.id, isNew: row.is_new, isClosed: row.is_closed }
}

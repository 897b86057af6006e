import type { Tenant } from '@skein/contract'
import type { Transaction } from '../../database/transaction.ts'
import { meant } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import type { WantedWork } from '../../database/take-due.ts'

/** Sees all tenants: it is for the loop of the servers, never for callers. */

const take = statement(
  'take_due_schedules',
  'select tenant_id, provider, org, name, token from take_due_schedules($1, $2, $3, $4, $5)',
  {
    tenant_id: 'uuid',
    provider: meant<Tenant['provider']>('text'),
    org: 'text',
    name: 'text',
    token: 'bigint',
  },
)

/** A schedule that this server may work on, until another one has a higher token. */
export interface ClaimedSchedule {
  readonly tenantId: string
  readonly tenant: Tenant
  readonly name: string
  readonly token: bigint
}

interface TakeSchedules extends WantedWork {
  readonly perTenant: number
  readonly at: number
}

export async function takeDueSchedules(
  transaction: Transaction,
  { amount, perTenant, busyTenants, at, holdMs }: TakeSchedules,
): Promise<ClaimedSchedule[]> {
  const rows = await transaction.rows(take, [amount, perTenant, busyTenants, new Date(at), holdMs])
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    tenant: { provider: row.provider, org: row.org },
    name: row.name,
    token: BigInt(row.token),
  }))
}

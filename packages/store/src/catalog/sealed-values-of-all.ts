import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

export interface SealedValue {
  readonly tenantId: string
  readonly kind: string
  readonly name: string
  readonly version: number
  readonly sealed: string
}

const page = statement(
  'sealed_value_page',
  `select tenant_id, kind, name, version, sealed from sealed_value
   where (tenant_id, kind, name, version) > ($1::uuid, $2, $3, $4)
   order by tenant_id, kind, name, version limit $5 for update`,
  { tenant_id: 'uuid', kind: 'text', name: 'text', version: 'int', sealed: 'text' },
)

const update = statement(
  'sealed_value_update',
  'update sealed_value set sealed = $5 where tenant_id = $1 and kind = $2 and name = $3 and version = $4',
)

const BEFORE_ALL = { tenantId: '00000000-0000-0000-0000-000000000000', kind: '', name: '', version: 0 }

/** Sealed values of all tenants, in order. Only the owner login sees them all. */
export async function nextSealedValues(
  transaction: Transaction,
  after: Omit<SealedValue, 'sealed'> = BEFORE_ALL,
  limit = 100,
): Promise<SealedValue[]> {
  const rows = await transaction.rows(page, [after.tenantId, after.kind, after.name, after.version, limit])
  return rows.map(({ tenant_id: tenantId, ...row }) => ({ tenantId, ...row }))
}

export async function replaceSealedValue(transaction: Transaction, value: SealedValue): Promise<void> {
  await transaction.execute(update, [value.tenantId, value.kind, value.name, value.version, value.sealed])
}

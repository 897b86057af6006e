import type { ResourceRef } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const put = statement(
  'sealed_value_put',
  `insert into sealed_value (tenant_id, kind, name, version, sealed, created_at)
   select skein_current_tenant(), $1, $2, coalesce(max(version), 0) + 1, $3, $4 from sealed_value
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2`,
)

const dropOlder = statement(
  'sealed_value_drop_older',
  `delete from sealed_value s where s.tenant_id = skein_current_tenant() and s.kind = $1 and s.name = $2
     and s.version < (select max(version) from sealed_value n
                      where n.tenant_id = skein_current_tenant() and n.kind = $1 and n.name = $2)`,
)

const dropAll = statement(
  'sealed_value_drop',
  'delete from sealed_value where tenant_id = skein_current_tenant() and kind = $1 and name = $2',
)

const find = statement(
  'sealed_value_find',
  `select sealed from sealed_value where tenant_id = skein_current_tenant() and kind = $1 and name = $2
   order by version desc limit 1`,
  { sealed: 'text' },
)

/** Sealed values of the transaction's tenant that the service needs again. */
export class SealedValueStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Replaces the previous value: old secrets are not kept. */
  async replace({ kind, name }: ResourceRef, sealed: string, at: number): Promise<void> {
    await this.#transaction.execute(put, [kind, name, sealed, new Date(at)])
    await this.#transaction.execute(dropOlder, [kind, name])
  }

  async drop({ kind, name }: ResourceRef): Promise<void> {
    await this.#transaction.execute(dropAll, [kind, name])
  }

  async find({ kind, name }: ResourceRef): Promise<string | undefined> {
    const row = await this.#transaction.row(find, [kind, name])
    return row?.sealed
  }
}

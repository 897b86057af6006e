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

/** All but the newest two. */
const dropOlderThanPrevious = statement(
  'sealed_value_drop_older_than_previous',
  `delete from sealed_value s where s.tenant_id = skein_current_tenant() and s.kind = $1 and s.name = $2
     and s.version < (select max(version) - 1 from sealed_value n
                      where n.tenant_id = skein_current_tenant() and n.kind = $1 and n.name = $2)`,
)

const findSince = statement(
  'sealed_value_find_since',
  `select s.sealed from sealed_value s where s.tenant_id = skein_current_tenant() and s.kind = $1 and s.name = $2
     and not exists (select from sealed_value n
       where n.tenant_id = skein_current_tenant() and n.kind = $1 and n.name = $2 and n.version > s.version
         and n.created_at <= $3)
   order by s.version desc`,
  { sealed: 'text' },
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

  /** Keeps the previous value too, for as long as it remains valid. */
  async rotate({ kind, name }: ResourceRef, sealed: string, at: number): Promise<void> {
    await this.#transaction.execute(put, [kind, name, sealed, new Date(at)])
    await this.#transaction.execute(dropOlderThanPrevious, [kind, name])
  }

  /** The current value, then those that were replaced after the given time. */
  async findSince({ kind, name }: ResourceRef, replacedAfter: number): Promise<string[]> {
    const rows = await this.#transaction.rows(findSince, [kind, name, new Date(replacedAfter)])
    return rows.map(({ sealed }) => sealed)
  }

  async drop({ kind, name }: ResourceRef): Promise<void> {
    await this.#transaction.execute(dropAll, [kind, name])
  }

  async find({ kind, name }: ResourceRef): Promise<string | undefined> {
    const row = await this.#transaction.row(find, [kind, name])
    return row?.sealed
  }
}

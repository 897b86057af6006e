import { statement } from '../../database/statement.ts'
import type { Transaction } from '../../database/transaction.ts'

const take = statement(
  'mail_hour_take',
  `insert into mail_hour as m (tenant_id, hour, amount)
   select skein_current_tenant(), date_trunc('hour', now()), $1::int where $1::int <= $2::int
   on conflict (tenant_id) do update set hour = excluded.hour,
     amount = case when m.hour = excluded.hour then m.amount + excluded.amount else excluded.amount end
   where m.hour <> excluded.hour or m.amount + excluded.amount <= $2::int`,
)

/**
 * Whether the transaction's tenant may send this many e-mails now. If so, they are counted. More at once than are allowed
 * in an hour take the whole hour: otherwise they could never be sent.
 */
export async function takeMailAllowance(
  transaction: Transaction,
  { amount, perHour }: { readonly amount: number; readonly perHour: number },
): Promise<boolean> {
  return (await transaction.execute(take, [Math.min(amount, perHour), perHour])) === 1
}

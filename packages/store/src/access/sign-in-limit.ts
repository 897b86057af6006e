import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const charge = statement('charge_sign_in', 'select charge_sign_in($1, $2, $3, $4) as seconds', {
  seconds: 'float8',
})

export interface SignInCharge {
  readonly slots: readonly number[]
  /** Negative for a refund. */
  readonly cost: number
  readonly perMinute: number
  readonly at: number
}

/** Works without a tenant: nobody has signed in yet. Returns how long to wait; 0 if the attempt is allowed. */
export async function chargeSignIn(
  transaction: Transaction,
  { slots, cost, perMinute, at }: SignInCharge,
): Promise<number> {
  const row = await transaction.row(charge, [slots, cost, perMinute, new Date(at)])
  return Math.ceil((row?.seconds ?? 0) * 1000)
}

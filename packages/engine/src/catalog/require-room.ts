import { effectiveQuota, parseOwnOrBuiltIn, requireWithin, type Ceiling } from '@skein/core'
import { CatalogStore, type Transaction } from '@skein/store'

/** Rejects a new resource of which the tenant has more than its quota allows. */
export async function requireRoom(
  transaction: Transaction,
  limit: 'schedules' | 'triggers',
  { amount, ceiling }: { readonly amount: number; readonly ceiling: Ceiling },
): Promise<void> {
  const own = (await new CatalogStore(transaction).find({ kind: 'quota', name: 'default' }))?.document
  requireWithin(effectiveQuota(parseOwnOrBuiltIn('quota', 'default', own), ceiling), limit, amount)
}

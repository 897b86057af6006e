import { effectiveQuota, parseOwnOrBuiltIn, requireWithin, type Ceiling } from '@skein/core'
import { CatalogStore, type Transaction } from '@skein/store'

interface Room {
  readonly kind: 'schedule' | 'trigger'
  /** How many there are, including the new one. */
  readonly count: () => Promise<number>
  readonly ceiling: Ceiling
}

/** Rejects a new resource of which the tenant has more than its quota allows. New ones of a kind are counted one by one. */
export async function requireRoom(transaction: Transaction, { kind, count, ceiling }: Room): Promise<void> {
  const catalog = new CatalogStore(transaction)
  await catalog.lockKind(kind)
  const own = (await catalog.find({ kind: 'quota', name: 'default' }))?.document
  requireWithin(
    effectiveQuota(parseOwnOrBuiltIn('quota', 'default', own), ceiling),
    `${kind}s`,
    await count(),
  )
}

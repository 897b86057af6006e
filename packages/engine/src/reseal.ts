import { nextSealedValues, replaceSealedValue, type SealedValue } from '@skein/store'
import { placeOf } from './catalog/secrets.ts'
import type { EngineResources } from './resources.ts'

/**
 * Seals every value again with the first master key, so that older keys can be removed. Needs the owner login. Works
 * page by page, each in its own transaction, so it can be stopped and run again.
 */
export async function resealAll({ database, vault }: EngineResources): Promise<{ resealed: number }> {
  let resealed = 0
  let last: SealedValue | undefined
  do {
    last = await database.withoutTenant(async (transaction) => {
      const values = await nextSealedValues(transaction, last)
      const stale = values.filter(({ sealed }) => !vault.isSealedWithFirstKey(sealed))
      for (const value of stale) {
        const place = placeOf(value.tenantId, value)
        await replaceSealedValue(transaction, {
          ...value,
          sealed: vault.seal(vault.open(value.sealed, place), place),
        })
      }
      resealed += stale.length
      return values.at(-1)
    })
  } while (last !== undefined)
  return { resealed }
}

import { nextAuditSpan, sealedText } from '@skein/core'
import { AuditSealStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * Seals what has been added to the audit logs of all tenants since the last time (docs/adr/0059). Returns false if there is
 * nothing to seal yet, or another server is at it.
 */
export function sealAudit({ database, vault, clock }: EngineResources): Promise<boolean> {
  return database.withoutTenant(async (transaction) => {
    const store = new AuditSealStore(transaction)
    const sealedUntil = await store.holdPosition()
    const sealedAt = clock.now()
    const span = sealedUntil === undefined ? undefined : nextAuditSpan(sealedUntil, sealedAt)
    if (!span) return false
    const seals = (await store.sums(span)).map(({ tenantId, entries, digest, lastNumber, lastMac }) => {
      const seal = {
        ...span,
        tenantId,
        number: lastNumber + 1n,
        entries,
        digest,
        previousMac: lastMac,
        sealedAt,
      }
      const [mac] = vault.digests(sealedText(seal))
      return { ...seal, mac: mac?.toString('hex') ?? '' }
    })
    await store.add(span, sealedAt, seals)
    return true
  })
}

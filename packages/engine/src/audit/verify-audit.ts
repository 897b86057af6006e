import { AuditChainCheck } from '@skein/core'
import { checkAuditSeals, countSealedTimes, findAuditedTenants } from '@skein/store'
import { isEqual } from '../is-equal.ts'
import type { EngineResources } from '../resources.ts'

const PAGE = 200
const DAY_MS = 24 * 60 * 60 * 1000

export interface VerifiedAudit {
  readonly provider: string
  readonly org: string
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** Compares the audit log of every tenant with its seals. Needs the owner login. */
export async function* verifyAudit(
  { database, vault, clock }: EngineResources,
  retentionDays: number,
): AsyncGenerator<VerifiedAudit, void> {
  const isMac = (text: string, mac: string) =>
    vault.digests(text).some((digest) => isEqual(digest, Buffer.from(mac, 'hex')))
  const expiredBefore = clock.now() - retentionDays * DAY_MS
  const tenants = await database.statement((transaction) => findAuditedTenants(transaction))
  for (const { id: tenantId, provider, org } of tenants) {
    const check = new AuditChainCheck({ tenantId, expiredBefore, isMac })
    let isMore = true
    while (isMore) {
      const seals = await database.statement((transaction) =>
        checkAuditSeals(transaction, tenantId, check.lastNumber, PAGE),
      )
      for (const seal of seals) check.add(seal)
      isMore = seals.length === PAGE
    }
    check.checkTotal(
      await database.statement((transaction) => countSealedTimes(transaction, tenantId, check.countedFrom)),
    )
    yield { provider, org, problems: check.problems, notes: check.notes }
  }
}

import { timingSafeEqual } from 'node:crypto'
import { AuditChainCheck } from '@skein/core'
import { checkAuditSeals, countSealedTimes, findSealedTenants } from '@skein/store'
import type { EngineResources } from '../resources.ts'

const PAGE = 200
const DAY_MS = 24 * 60 * 60 * 1000

export interface VerifiedAudit {
  readonly provider: string
  readonly org: string
  readonly seals: bigint
  readonly problems: readonly string[]
}

/** Compares the audit log of every tenant with its seals. Needs the owner login. */
export async function* verifyAudit(
  { database, vault, clock }: EngineResources,
  retentionDays: number,
): AsyncGenerator<VerifiedAudit, void> {
  const isMac = (text: string, mac: string) => {
    const given = Buffer.from(mac, 'hex')
    return vault
      .digests(text)
      .some((digest) => digest.length === given.length && timingSafeEqual(digest, given))
  }
  const expiredBefore = clock.now() - retentionDays * DAY_MS
  const tenants = await database.statement((transaction) => findSealedTenants(transaction))
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
    const { beginsAt } = check
    if (beginsAt !== undefined) {
      check.checkTotal(
        await database.statement((transaction) => countSealedTimes(transaction, tenantId, beginsAt)),
      )
    }
    yield { provider, org, seals: check.lastNumber, problems: check.problems }
  }
}

import { KEY_PREFIXES } from '@skein/contract/facts'
import { addressBlock } from '@skein/core'
import type { KeyRecord } from '@skein/store'
import { isKeyOf, type ClaimedKey } from './known-key.ts'
import type { EngineResources } from '../resources.ts'
import type { RequestOrigin } from './request-origin.ts'

/** Recorded for the tenant that owns the key. An unknown key id concerns no tenant. */
export function noteRefusedKey(
  { auditTrail, clock }: EngineResources,
  claimed: ClaimedKey,
  holder: KeyRecord,
  { address, requestId }: RequestOrigin,
): void {
  const at = clock.now()
  auditTrail.noteLater({
    tenantId: holder.tenantId,
    at,
    operation: 'refuseKey',
    kind: holder.prefix === KEY_PREFIXES.shareLink ? 'share-link' : 'token',
    name: holder.name,
    ownerProvider: holder.ownerProvider,
    account: holder.account,
    role: holder.role,
    token: holder.name,
    justification: '',
    requestId,
    address: addressBlock(address),
    detail: whyRefused(claimed, holder, at),
  })
}

function whyRefused({ prefix, digest }: ClaimedKey, holder: KeyRecord, now: number): string {
  if (!isKeyOf(holder, digest)) return 'wrong secret'
  if (holder.isRevoked) return 'revoked'
  if (holder.expiresAt !== undefined && holder.expiresAt <= now) return 'expired'
  return holder.prefix === prefix ? 'not valid here' : 'sent as another type of key'
}

import { timingSafeEqual } from 'node:crypto'
import { KEY_PREFIXES, parseKey, type ParsedKey } from '@skein/contract/facts'
import { agentKey, refuseHeld, sharedAgent, type Caller, type SharedAgent } from '@skein/core'
import { AgentReader, findKey, findShare, type KeyRecord, type ShareRecord } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from './keys.ts'

/** Compared for unknown key ids, so that they take as long as a wrong secret. */
const NO_KEY = Buffer.alloc(32)

/** A key as sent, not yet verified. */
export interface ClaimedKey extends Pick<ParsedKey, 'prefix' | 'keyId'> {
  readonly digest: Uint8Array
}

/** Undefined if the text cannot be one of our keys. */
export function claimKey(text: string): ClaimedKey | undefined {
  const parsed = parseKey(text)
  return parsed && { prefix: parsed.prefix, keyId: parsed.keyId, digest: hashSecret(parsed.secret) }
}

/** Finds the holder of a key id without checking the secret: use isKeyOf for that. */
export async function findHolder(
  { database }: EngineResources,
  { prefix, keyId }: ClaimedKey,
): Promise<KeyRecord | ShareRecord | undefined> {
  const find = prefix === KEY_PREFIXES.shareLink ? findShare : findKey
  return database.statement<KeyRecord | undefined>((transaction) => find(transaction, keyId))
}

export function isKeyOf(record: KeyRecord | undefined, digest: Uint8Array): record is KeyRecord {
  const isEqual = timingSafeEqual(record?.secretSha256 ?? NO_KEY, digest)
  return record !== undefined && isEqual
}

export function isUsable(record: KeyRecord, prefix: string, now: number): boolean {
  if (record.isRevoked || record.prefix !== prefix) return false
  return record.expiresAt === undefined || record.expiresAt > now
}

/** Every key becomes a caller here, so none of a suspended or moving tenant is let in. */
export function toCaller(record: KeyRecord | ShareRecord): Caller {
  refuseHeld(record.hold)
  return {
    tenantId: record.tenantId,
    tenant: record.tenant,
    ownerProvider: record.ownerProvider,
    account: record.account,
    role: record.role,
    token: record.name,
    keyId: record.keyId,
    pools: record.pools,
    servesAllTenants: record.servesAllTenants,
    ...('document' in record && seenBy(sharedAgent(record.document))),
    ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }),
  }
}

function seenBy({ identity, incarnation }: SharedAgent): Pick<Caller, 'within' | 'incarnation'> {
  return { within: identity, incarnation }
}

/** Whether the incarnation a guest may see is still the agent's newest one. */
export async function isLifeCurrent(
  { database }: EngineResources,
  { tenantId, within, incarnation }: Caller,
): Promise<boolean> {
  if (!within) return true
  const agent = await database.forTenant(tenantId, (transaction) =>
    new AgentReader(transaction).find(agentKey(within)),
  )
  return !agent || agent.incarnation === incarnation
}

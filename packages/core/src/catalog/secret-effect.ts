import { parseDuration, parseTimestamp, type Kind } from '@skein/contract'
import { isForPeople, KEY_PREFIXES, type KeyPrefix } from '@skein/contract/facts'
import { isDocument, type Document } from './document.ts'

/** What a write does to a resource's secrets. Carried out in the same transaction. */
export type SecretEffect =
  | { readonly type: 'none' }
  /** A new key. Older keys stop working after the overlap. */
  | {
      readonly type: 'mint-key'
      readonly prefix: KeyPrefix
      readonly grant: KeyGrant
      readonly previousExpireAt: number
    }
  /** No new key, but the grants of the existing ones may have changed. */
  | { readonly type: 'update-keys'; readonly grant: KeyGrant }
  | { readonly type: 'seal-value'; readonly value: string }
  | { readonly type: 'mint-signing-key' }

/** The latest time a timestamp can express. */
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** What a key grants. */
export interface KeyGrant {
  readonly keyVersion: number
  readonly ownerProvider: string
  readonly account: string
  readonly role: string
  readonly pools: readonly string[]
  /** Role `runner`: serves these pools in every tenant. */
  readonly allTenants: boolean
  readonly expiresAt: number | undefined
  readonly revoked: boolean
}

export function decideSecretEffect(
  kind: Kind,
  document: Document,
  current: Document | undefined,
  now: number,
): SecretEffect {
  switch (kind.kind) {
    case 'token':
    case 'directory':
    case 'share-link': {
      const grant = grantOf(kind, document)
      const isNew = current === undefined || grant.keyVersion > grantOf(kind, current).keyVersion
      if (!isNew) return { type: 'update-keys', grant }
      const prefix = kind.kind === 'share-link' ? KEY_PREFIXES.shareLink : KEY_PREFIXES.apiKey
      const { overlap } = document
      const overlapMs = typeof overlap === 'string' ? (parseDuration(overlap) ?? 0) : 0
      const previousExpireAt = Math.min(now + Math.max(0, overlapMs), END_OF_TIME)
      return { type: 'mint-key', prefix, grant, previousExpireAt }
    }
    case 'workload-identity': {
      // Nobody gets it: the keys of 15 minutes stand for it, and end with it.
      const grant = grantOf(kind, document)
      if (current !== undefined) return { type: 'update-keys', grant }
      return { type: 'mint-key', prefix: KEY_PREFIXES.apiKey, grant, previousExpireAt: now }
    }
    case 'secret':
      return typeof document['value'] === 'string'
        ? { type: 'seal-value', value: document['value'] }
        : { type: 'none' }
    case 'integration':
      return needsSigningKey(document, current) ? { type: 'mint-signing-key' } : { type: 'none' }
    case 'trigger':
      return needsKey(document, current) ? { type: 'mint-signing-key' } : { type: 'none' }
    default:
      return { type: 'none' }
  }
}

/** Only webhooks are signed: a chat checks nothing. One that becomes a webhook gets its first key. */
function needsSigningKey(document: Document, current: Document | undefined): boolean {
  if (isForPeople(String(document['type']))) return false
  return (
    current === undefined ||
    isForPeople(String(current['type'])) ||
    Number(document['keyVersion']) > Number(current['keyVersion'])
  )
}

/** Whether a trigger gets a key of its own now. One with a secret never does. */
function needsKey(document: Document, current: Document | undefined): boolean {
  if (hasSecret(document)) return false
  return (
    current === undefined ||
    hasSecret(current) ||
    Number(document['keyVersion']) > Number(current['keyVersion'])
  )
}

function hasSecret({ verification }: Document): boolean {
  return isDocument(verification) && verification['secret'] !== ''
}

/** Kinds whose keys always have one role, whatever the document says. */
const FIXED_ROLES: Readonly<Record<string, string>> = { 'share-link': 'guest', directory: 'directory' }

function grantOf({ kind }: Kind, document: Document): KeyGrant {
  const { keyVersion, ownerProvider, account, role, pools, allTenants, expireTime, revoked } = document
  return {
    keyVersion: typeof keyVersion === 'number' ? keyVersion : 1,
    // A directory is nobody: its key belongs to no account of a person.
    ownerProvider: kind === 'directory' ? 'PROVIDER_SERVICE_PROFILE' : String(ownerProvider),
    account: kind === 'directory' ? kind : String(account),
    role: FIXED_ROLES[kind] ?? String(role),
    pools: Array.isArray(pools) ? pools.map(String) : [],
    allTenants: allTenants === true,
    expiresAt: typeof expireTime === 'string' ? parseTimestamp(expireTime) : undefined,
    revoked: revoked === true,
  }
}

import { timingSafeEqual } from 'node:crypto'
import { KEY_PREFIXES, parseKey } from '@skein/contract'
import type { Caller } from '@skein/core'
import { findKey, type KeyRecord } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineResources } from '../resources.ts'
import { authenticateRun, isRunKey } from '../runs/run-key.ts'
import { hashSecret } from './keys.ts'

/** A revoked key must be refused everywhere within 5 s; half of that leaves room for a slow answer. */
const CACHE_TTL_MS = 2_500
const CACHE_SIZE = 10_000

/** Compared against when there is no such key, so that an unknown key id takes as long as a wrong secret. */
const NO_KEY = Buffer.alloc(32)

export class Authenticator {
  readonly #engine: EngineResources
  readonly #keys = new LRUCache<string, KeyRecord>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS })

  constructor(engine: EngineResources) {
    this.#engine = engine
  }

  /** Who holds this key. Undefined for a key that is mistyped, unknown, expired or revoked: we do not say which. */
  async authenticate(key: string): Promise<Caller | undefined> {
    if (isRunKey(key)) return authenticateRun(this.#engine, key)
    const parsed = parseKey(key)
    if (parsed?.prefix !== KEY_PREFIXES.apiKey) return undefined
    const digest = hashSecret(parsed.secret)
    const record = await this.#find(parsed.keyId, digest)
    return record && this.#isValid(record) ? toCaller(record) : undefined
  }

  async #find(keyId: string, digest: Uint8Array): Promise<KeyRecord | undefined> {
    const remembered = this.#keys.get(keyId)
    if (isKeyOf(remembered, digest)) return remembered
    // A wrong secret goes to the database as an unknown key id does, so the two cannot be told apart.
    const found = await this.#engine.database.statement((session) => findKey(session, keyId))
    if (!isKeyOf(found, digest)) return undefined
    this.#keys.set(keyId, found)
    return found
  }

  #isValid({ isRevoked, expiresAt, prefix }: KeyRecord): boolean {
    if (isRevoked || prefix !== KEY_PREFIXES.apiKey) return false
    return expiresAt === undefined || expiresAt > this.#engine.clock.now()
  }
}

function isKeyOf(record: KeyRecord | undefined, digest: Uint8Array): record is KeyRecord {
  const isEqual = timingSafeEqual(record?.secretSha256 ?? NO_KEY, digest)
  return record !== undefined && isEqual
}

function toCaller(record: KeyRecord): Caller {
  return {
    tenantId: record.tenantId,
    tenant: record.tenant,
    ownerProvider: record.ownerProvider,
    account: record.account,
    role: record.role,
    token: record.name,
    pools: record.pools,
    servesAllTenants: record.servesAllTenants,
    ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }),
  }
}

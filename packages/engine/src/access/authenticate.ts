import { hash } from 'node:crypto'
import { KEY_PREFIXES } from '@skein/contract/facts'
import type { Caller } from '@skein/core'
import { findBrowserSession, findCommandLine, findKey, type KeyRecord } from '@skein/store'
import { LRUCache } from 'lru-cache'
import { urgently, type EngineResources } from '../resources.ts'
import { isSessionKey, openSessionKey } from './session-keys.ts'
import { isWorkloadKey, openWorkloadKey } from './workload-keys.ts'
import { authenticateRun, isRunKey } from './run-key.ts'
import { noteRefusedKey } from './refused-keys.ts'
import type { RequestOrigin } from './request-origin.ts'
import { hashSecret } from './keys.ts'
import {
  claimKey,
  findHolder,
  isKeyOf,
  isLifeCurrent,
  isUsable,
  toCaller,
  type ClaimedKey,
} from './known-key.ts'

/** Every server must reject a revoked key within 5 s. Half of that leaves room for a slow response. */
const CACHE_TTL_MS = 2_500
const CACHE_SIZE = 10_000

interface VerifiedKey extends Pick<ClaimedKey, 'prefix'> {
  readonly record: KeyRecord
}

export class Authenticator {
  readonly #engine: EngineResources
  readonly #keys = new LRUCache<string, KeyRecord>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS })
  /** By the digest of a whole key that was verified, so that no key itself is kept. Never outlives its record above. */
  readonly #verified = new LRUCache<string, VerifiedKey>({ max: CACHE_SIZE })
  /** By the key that the keys of a workload identity stand for. */
  readonly #workloads = new LRUCache<string, KeyRecord>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS })
  /** Lookups in progress: when a busy key's record expires, all its requests need it at once. */
  readonly #lookups = new Map<string, Promise<KeyRecord | undefined>>()

  constructor(engine: EngineResources) {
    // The tenant isn't known yet, so this cannot wait in a per-tenant queue.
    this.#engine = urgently(engine)
  }

  /**
   * Finds the holder of a key. Undefined if it is malformed, unknown, expired or revoked: callers aren't told which.
   */
  async authenticate(key: string, use: RequestOrigin): Promise<Caller | undefined> {
    if (isRunKey(key)) return authenticateRun(this.#engine, key)
    if (isWorkloadKey(key)) return this.#authenticateWorkload(key)
    if (isSessionKey(key)) return this.#authenticateCommandLine(key)
    const holder = await this.#verify(key, use)
    return holder && this.#engine.teams.divide(toCaller(holder), holder.teamRoles)
  }

  /** The holder of a key that can be used. */
  async #verify(key: string, use: RequestOrigin): Promise<KeyRecord | undefined> {
    const digest = hash('sha256', key, 'base64')
    const known = this.#verified.get(digest)
    if (known && isUsable(known.record, known.prefix, this.#engine.clock.now())) return known.record
    const claimed = claimKey(key)
    if (!claimed) return undefined
    const holder = await this.#findHolder(claimed)
    const isAccepted = isKeyOf(holder, claimed.digest) && (await this.#isValid(claimed, holder))
    if (holder && isAccepted) this.#remember(digest, claimed, holder)
    if (holder && !isAccepted) noteRefusedKey(this.#engine, claimed, holder, use)
    return isAccepted ? holder : undefined
  }

  /**
   * Authenticates a browser by its cookie together with the secret of the page that signed in. Not cached: browsers
   * send few requests, and signing out must take effect immediately on every server.
   */
  async authenticateSession(secret: string, pageSecret: string): Promise<Caller | undefined> {
    const { database, clock } = this.#engine
    const now = clock.now()
    const digests = { secretSha256: hashSecret(secret), pageSecretSha256: hashSecret(pageSecret) }
    const found = await database.statement((transaction) => findBrowserSession(transaction, digests, now))
    if (!found || !isUsable(found.key, KEY_PREFIXES.apiKey, now)) return undefined
    const caller = { ...toCaller(found.key), sessionId: found.sessionId }
    return this.#engine.teams.divide(caller, found.key.teamRoles)
  }

  /** Likewise, with the key of a workload identity. Jobs can send many requests, so it is known for a moment. */
  async #authenticateWorkload(key: string): Promise<Caller | undefined> {
    const { database, clock } = this.#engine
    const opened = openWorkloadKey(this.#engine, key)
    if (!opened) return undefined
    const { keyId, expiresAt } = opened
    const known = this.#workloads.get(keyId)
    const record = known ?? (await database.statement((transaction) => findKey(transaction, keyId)))
    if (!record || !isUsable(record, KEY_PREFIXES.apiKey, clock.now())) return undefined
    if (!known) this.#workloads.set(keyId, record)
    const caller = { ...toCaller(record), expiresAt, isWorkload: true as const }
    return this.#engine.teams.divide(caller, record.teamRoles)
  }

  /** The service sealed the key, so its holder may use the session that it names. Not cached, as for browsers. */
  async #authenticateCommandLine(key: string): Promise<Caller | undefined> {
    const { database, clock } = this.#engine
    const opened = openSessionKey(this.#engine, key)
    if (!opened) return undefined
    const now = clock.now()
    const found = await database.statement((transaction) =>
      findCommandLine(transaction, opened.sessionId, now),
    )
    if (!found || !isUsable(found.key, KEY_PREFIXES.apiKey, now)) return undefined
    const caller = { ...toCaller(found.key), commandLineId: found.sessionId, expiresAt: found.expiresAt }
    return this.#engine.teams.divide(caller, found.key.teamRoles)
  }

  async #isValid({ prefix }: ClaimedKey, holder: KeyRecord): Promise<boolean> {
    if (!isUsable(holder, prefix, this.#engine.clock.now())) return false
    return isLifeCurrent(this.#engine, toCaller(holder))
  }

  /** Share links are not cached: they stop working as soon as the agent's next incarnation starts. */
  async #findHolder(claimed: ClaimedKey): Promise<KeyRecord | undefined> {
    if (claimed.prefix === KEY_PREFIXES.shareLink) return findHolder(this.#engine, claimed)
    const remembered = this.#keys.get(claimed.keyId)
    if (isKeyOf(remembered, claimed.digest)) return remembered
    const found = await this.#lookUp(claimed)
    if (isKeyOf(found, claimed.digest)) this.#keys.set(claimed.keyId, found)
    return found
  }

  async #lookUp(claimed: ClaimedKey): Promise<KeyRecord | undefined> {
    const running = this.#lookups.get(claimed.keyId)
    if (running) return running
    const lookup = findHolder(this.#engine, claimed)
    this.#lookups.set(claimed.keyId, lookup)
    try {
      return await lookup
    } finally {
      this.#lookups.delete(claimed.keyId)
    }
  }

  #remember(digest: string, { prefix, keyId }: ClaimedKey, record: KeyRecord): void {
    const ttl = this.#keys.getRemainingTTL(keyId)
    if (this.#keys.peek(keyId) === record && ttl > 0) this.#verified.set(digest, { prefix, record }, { ttl })
  }
}

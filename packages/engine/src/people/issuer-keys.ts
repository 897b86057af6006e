import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  type LocalJWKSet,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { AskLimit } from './ask-limit.ts'
import { ProviderUnreachable } from './provider-unreachable.ts'

const FRESH_MS = 60_000
const MAX_ISSUERS = 1_000
/** Enough for one that rotates its keys, several times in a row. */
const BURST = 6
const PAUSE_MS = 10_000

interface Providers {
  readonly fetch: typeof fetch
  forStart(client: { readonly issuer: string; readonly clientId: string }): Promise<{
    serverMetadata(): { readonly jwks_uri?: string }
  }>
}

interface KnownIssuer {
  readonly limit: AskLimit
  keys?: { readonly find: LocalJWKSet; readonly readAt: number }
  asking?: Promise<LocalJWKSet> | undefined
}

/**
 * The public keys of issuers. A key that is not known yet is asked for at once, but only so often: anybody can send a token
 * that names an issuer and a key which it never had.
 */
export class IssuerKeys {
  readonly #providers: Providers
  readonly #issuers = new LRUCache<string, KnownIssuer>({ max: MAX_ISSUERS })

  constructor(providers: Providers) {
    this.#providers = providers
  }

  /** Throws if none of the issuer's keys signed it. */
  async verify(
    token: string,
    { issuer, audience }: { readonly issuer: string; readonly audience: string },
    options: JWTVerifyOptions,
  ): Promise<JWTPayload> {
    const known = this.#issuer(issuer)
    const { keys } = known
    const isFresh = keys !== undefined && performance.now() - keys.readAt < FRESH_MS
    const find = isFresh ? keys.find : await this.#ask(known, issuer, audience, keys?.find)
    try {
      return (await jwtVerify(token, find, options)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !isFresh) throw error
      const newer = await this.#ask(known, issuer, audience, find)
      if (newer === find) throw error
      return (await jwtVerify(token, newer, options)).payload
    }
  }

  #issuer(issuer: string): KnownIssuer {
    const known = this.#issuers.get(issuer) ?? { limit: new AskLimit(BURST, PAUSE_MS) }
    this.#issuers.set(issuer, known)
    return known
  }

  /** All who ask at the same time share one answer. What is known has to do if it was asked too often. */
  async #ask(
    known: KnownIssuer,
    issuer: string,
    audience: string,
    otherwise: LocalJWKSet | undefined,
  ): Promise<LocalJWKSet> {
    if (known.asking) return known.asking
    if (!known.limit.spend(performance.now())) {
      if (otherwise) return otherwise
      throw new ProviderUnreachable('Its keys were requested too often. Try again in a minute.')
    }
    known.asking = this.#read(issuer, audience)
    try {
      const find = await known.asking
      known.keys = { find, readAt: performance.now() }
      return find
    } finally {
      known.asking = undefined
    }
  }

  async #read(issuer: string, audience: string): Promise<LocalJWKSet> {
    const config = await this.#providers.forStart({ issuer, clientId: audience })
    const { jwks_uri: url = '' } = config.serverMetadata()
    const response = await this.#providers.fetch(url, { headers: { accept: 'application/json' } })
    try {
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the library checks it
      return createLocalJWKSet((await response.json()) as JSONWebKeySet)
    } catch (error) {
      throw new ProviderUnreachable('Its keys cannot be read.', { cause: error })
    }
  }
}

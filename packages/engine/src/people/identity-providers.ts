import { LRUCache } from 'lru-cache'
import * as oidc from 'openid-client'
import { IssuerKeys } from './issuer-keys.ts'
import { ProviderUnreachable } from './provider-unreachable.ts'

/** How long the address of a provider's sign-in page is remembered, so that visitors cannot make us ask for it each time. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 1_000
const TIMEOUT_SECONDS = 10
const CLOCK_TOLERANCE_SECONDS = 30

export interface ProviderClient {
  readonly issuer: string
  readonly clientId: string
  readonly secret: string
  /** How far our time is ahead of the machine's clock, in seconds. */
  readonly skewSeconds: number
}

interface Outbound {
  /** Only to allowed addresses, within limits, never following a redirect. */
  readonly fetch: typeof fetch
  close(): void
}

/** Talks to identity providers, which tenants choose. */
export class IdentityProviders {
  /** Of those that sign tokens for us, outside of a sign-in. */
  readonly keys = new IssuerKeys(this)
  readonly #outbound: Outbound
  readonly #starts = new LRUCache<string, Promise<oidc.Configuration>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  })

  constructor(outbound: Outbound) {
    this.#outbound = outbound
  }

  close(): void {
    this.#outbound.close()
  }

  /** Only to send people there: may be a minute old. */
  async forStart({
    issuer,
    clientId,
  }: Pick<ProviderClient, 'issuer' | 'clientId'>): Promise<oidc.Configuration> {
    const key = JSON.stringify([issuer, clientId])
    const known = this.#starts.get(key)
    if (known) return known
    const asked = this.#discover(issuer, clientId, {}, oidc.None())
    this.#starts.set(key, asked)
    asked.catch(() => this.#starts.delete(key))
    return asked
  }

  /** As the provider describes itself now, so that a key that it rotated in a moment ago is known. */
  async forFinish({ issuer, clientId, secret, skewSeconds }: ProviderClient): Promise<oidc.Configuration> {
    const times = { [oidc.clockSkew]: skewSeconds, [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const config = await this.#discover(issuer, clientId, times, authenticate)
    // Otherwise the library trusts the connection that the token came through, and checks no signature.
    oidc.enableNonRepudiationChecks(config)
    return config

    function authenticate(...args: Parameters<oidc.ClientAuth>): void {
      const [{ token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }] = args
      const isBasic = methods.includes('client_secret_basic')
      return (isBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret))(...args)
    }
  }

  /** For keys, outside of a sign-in. */
  readonly fetch: typeof fetch = async (input, init) => {
    let response: Response
    try {
      response = await this.#outbound.fetch(input, init)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new ProviderUnreachable(message, { cause: error })
    }
    if (response.status >= 500) throw new ProviderUnreachable(`It failed with status ${response.status}.`)
    return response
  }

  /** Has the library use our guarded requests for a provider that does not describe itself. */
  prepare(config: oidc.Configuration, issuer: string): oidc.Configuration {
    config[oidc.customFetch] = this.#guarded
    config.timeout = TIMEOUT_SECONDS
    if (issuer.startsWith('http:')) oidc.allowInsecureRequests(config)
    return config
  }

  readonly #guarded: oidc.CustomFetch = (url, { body, signal, ...options }) =>
    this.fetch(url, {
      ...options,
      ...(body !== null && body !== undefined && { body: toBody(body) }),
      ...(signal && { signal }),
    })

  async #discover(
    issuer: string,
    clientId: string,
    metadata: Partial<oidc.ClientMetadata>,
    authentication: oidc.ClientAuth,
  ): Promise<oidc.Configuration> {
    try {
      return await oidc.discovery(new URL(issuer), clientId, metadata, authentication, {
        [oidc.customFetch]: this.#guarded,
        timeout: TIMEOUT_SECONDS,
        // The catalog accepts these only for the machine itself.
        ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
      })
    } catch (error) {
      if (error instanceof ProviderUnreachable) throw error
      const message = error instanceof Error ? error.message : String(error)
      throw new ProviderUnreachable(`It does not describe itself as ${issuer}: ${message}.`, { cause: error })
    }
  }
}

/** The library sends forms and nothing else. */
function toBody(body: NonNullable<oidc.FetchBody>): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('A request to an identity provider has a form as its body')
}

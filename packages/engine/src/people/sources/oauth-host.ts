import { SkeinError } from '@skein/contract'
import { isProtected, type Document } from '@skein/core'
import * as oidc from 'openid-client'
import type { IdentityProviders } from '../identity-providers.ts'
import { ProviderUnreachable } from '../provider-unreachable.ts'
import type { PeopleSource, PersonGrant, SourceAnswer, SourceStart } from './people-source.ts'

/** What differs between code hosts, when people sign in with one. */
export interface HostKind {
  /** Below the URL of the host. */
  readonly authorizePath: string
  readonly tokenPath: string
  /** What the host calls itself in its answers, below its URL. */
  readonly issuerPath: string
  /** What it takes to read who a person is, and what they belong to. */
  readonly scopes: readonly string[]
  /** What it takes to open their pull requests. */
  readonly pullRequestScopes: readonly string[]
  readPerson(api: HostApi): Promise<HostPerson>
  /** How the host is told that a token is no longer used, if it can be. */
  revocation?(token: string, client: HostClient): { readonly path: string; readonly init: RequestInit }
}

interface HostGroup {
  readonly name: string
  /** The number of the organization, as text. */
  readonly id: string
}

/** As the host describes them to themselves. */
export interface HostPerson {
  readonly id: unknown
  readonly login: unknown
  /** In which they are active. */
  readonly organizations: readonly HostGroup[]
  /** Of these organizations, as `organization:team`. */
  readonly teams: readonly HostGroup[]
}

/** Groups without a name or number are left out, and teams of organizations that are. */
export function toHostPerson(
  user: unknown,
  organizations: readonly HostGroup[],
  teams: readonly HostGroup[],
): HostPerson {
  const known = organizations.filter(({ name, id }) => name !== '' && id !== '')
  const ids = new Set(known.map(({ id }) => id))
  return {
    id: typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined,
    login: textAt(user, 'login'),
    organizations: known,
    teams: teams.filter(({ id }) => ids.has(id)),
  }
}

/** Reads the host's API as the person. Undefined if the host does not say. */
export interface HostApi {
  read(path: string): Promise<unknown>
}

export interface HostClient {
  readonly type: string
  readonly url: string
  /** Whether the API is where such hosts have it. */
  readonly isUsualApi: boolean
  readonly apiUrl: string
  readonly clientId: string
  readonly secret: string
  /** In addition to what the kind of host needs. */
  readonly scopes: readonly string[]
  readonly opensPullRequests: boolean
  readonly now: () => number
}

const LOGIN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** OAuth 2.0 with a code host, which has no ID tokens: it is asked who the person is, with their own token. */
export class OAuthHost implements PeopleSource {
  readonly ownerProvider = 'PROVIDER_CODEHOST_OAUTH'
  readonly issuer: string
  readonly apiUrl: string
  readonly #url: string
  readonly #providers: IdentityProviders
  readonly #kind: HostKind
  readonly #client: HostClient

  constructor(providers: IdentityProviders, kind: HostKind, client: HostClient) {
    this.#url = client.url.replace(/\/+$/, '')
    this.apiUrl = client.apiUrl
    // Whatever answers for the host decides who a person is.
    this.issuer = `${this.#url}#${client.type}${client.isUsualApi ? '' : `,${client.apiUrl}`}`
    this.#providers = providers
    this.#kind = kind
    this.#client = client
  }

  async authorizationUrl({ redirectUrl, state, challenge }: SourceStart): Promise<URL> {
    const { scopes, pullRequestScopes } = this.#kind
    const wanted = [...scopes, ...(this.#client.opensPullRequests ? pullRequestScopes : [])]
    return oidc.buildAuthorizationUrl(this.#configuration(), {
      redirect_uri: redirectUrl,
      scope: [...new Set([...wanted, ...this.#client.scopes])].join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
  }

  async finish(
    url: URL,
    { state, verifier }: SourceAnswer,
  ): Promise<{ claims: Document; grant: PersonGrant }> {
    const tokens = await oidc.authorizationCodeGrant(this.#configuration(), url, {
      expectedState: state,
      pkceCodeVerifier: verifier,
    })
    return { claims: await this.readClaims(tokens.access_token), grant: this.#toGrant(tokens, '') }
  }

  /** The next grant; undefined if the host no longer accepts this one. */
  async refresh({ refreshToken }: PersonGrant): Promise<PersonGrant | undefined> {
    try {
      const tokens = await oidc.refreshTokenGrant(this.#configuration(), refreshToken)
      return this.#toGrant(tokens, refreshToken)
    } catch (error) {
      if (error instanceof ProviderUnreachable) throw error
      // GitHub refuses with a status of success.
      const isRefused =
        (error instanceof oidc.ResponseBodyError && error.status !== 429) ||
        (error instanceof oidc.ClientError && error.code === 'OAUTH_INVALID_RESPONSE')
      if (isRefused) return undefined
      throw new ProviderUnreachable('It did not renew the token.', { cause: error })
    }
  }

  /** Tells the host that the token is no longer used, if it wants to know. */
  async revoke({ accessToken }: PersonGrant): Promise<void> {
    const asked = this.#kind.revocation?.(accessToken, this.#client)
    if (!asked) return
    this.#requireProtected()
    await this.#providers.fetch(this.apiUrl + asked.path, asked.init)
  }

  #toGrant(tokens: oidc.TokenEndpointResponse, refreshToken: string): PersonGrant {
    const seconds = tokens.expires_in
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? refreshToken,
      expiresAt: seconds === undefined ? undefined : this.#client.now() + seconds * 1000,
      apiUrl: this.apiUrl,
    }
  }

  /** Who a token belongs to, and what they belong to. */
  async readClaims(accessToken: string): Promise<Document> {
    const read = (path: string) => this.#read(path, accessToken)
    const { id, login, organizations, teams } = await this.#kind.readPerson({ read })
    if (!Number.isSafeInteger(id) || Number(id) <= 0 || typeof login !== 'string' || !LOGIN.test(login)) {
      throw new SkeinError('SIGN_IN_INVALID', { message: 'The code host did not say who signed in.' })
    }
    // A login can be given to somebody else, an id cannot.
    return {
      sub: String(id),
      preferred_username: login.toLowerCase(),
      groups: [...organizations, ...teams].map(({ name }) => name.toLowerCase()),
      // Teams too: that of an organization with another number must not count for the one of the document.
      organization_ids: Object.fromEntries(
        organizations.map(({ name, id: organizationId }) => [name.toLowerCase(), organizationId]),
      ),
    }
  }

  async #read(path: string, accessToken: string): Promise<unknown> {
    this.#requireProtected()
    const response = await this.#providers.fetch(this.apiUrl + path, {
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json',
        // GitHub answers nobody without one.
        'user-agent': 'skein',
      },
    })
    if (response.ok) return response.json()
    // A host may ask to wait with the same status with which it refuses.
    const isSlowedDown =
      response.headers.has('retry-after') || response.headers.get('x-ratelimit-remaining') === '0'
    if ([401, 403, 404].includes(response.status) && !isSlowedDown) return undefined
    throw new ProviderUnreachable(`It failed with status ${response.status}.`)
  }

  #configuration(): oidc.Configuration {
    const { clientId, secret } = this.#client
    this.#requireProtected()
    const { authorizePath, tokenPath, issuerPath } = this.#kind
    const config = new oidc.Configuration(
      {
        issuer: this.#url + issuerPath,
        authorization_endpoint: this.#url + authorizePath,
        token_endpoint: this.#url + tokenPath,
      },
      clientId,
      undefined,
      secret === '' ? oidc.None() : oidc.ClientSecretPost(secret),
    )
    return this.#providers.prepare(config, this.#url)
  }

  #requireProtected(): void {
    if (isProtected(this.#url) && isProtected(this.apiUrl)) return
    throw new ProviderUnreachable('The URLs of the code host must begin with https://.')
  }
}

interface Pages {
  readonly size: number
  readonly most: number
  /** Otherwise the host may have smaller pages than it is asked for, and only an empty one is the last. */
  readonly isSizeKept: boolean
}

/** Every entry of a list that comes in pages, up to a limit. */
export async function readPages(
  api: HostApi,
  path: (page: number) => string,
  { size, most, isSizeKept }: Pages,
): Promise<unknown[]> {
  const all: unknown[] = []
  for (let page = 1; page <= most; page++) {
    const entries = await api.read(path(page))
    if (!isList(entries)) break
    if (entries.length > size) throw new ProviderUnreachable('Its response is larger than requested.')
    all.push(...entries)
    if (entries.length < (isSizeKept ? size : 1)) break
  }
  return all
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value)
}

/** A positive number somewhere in what a host answered, as text. Empty if there is none. */
export function numberAt(value: unknown, ...keys: readonly string[]): string {
  const found = valueAt(value, keys)
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? String(found) : ''
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
}

/** A text somewhere in what a host answered. Empty if there is none. */
export function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = valueAt(value, keys)
  return typeof found === 'string' ? found : ''
}

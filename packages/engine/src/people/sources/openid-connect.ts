import { SkeinError, type IdentityProviderDocument } from '@skein/contract'
import { isDocument, isIdentifier, type Document } from '@skein/core'
import * as oidc from 'openid-client'
import type { IdentityProviders } from '../identity-providers.ts'
import type { PeopleSource, SourceAnswer, SourceStart } from './people-source.ts'

/** An OpenID Connect provider. */
export class OpenIdConnect implements PeopleSource {
  readonly ownerProvider = 'PROVIDER_IDP_OIDC'
  readonly issuer: string
  readonly #providers: IdentityProviders
  readonly #document: IdentityProviderDocument
  readonly #client: { readonly secret: string; readonly skewSeconds: number }

  constructor(
    providers: IdentityProviders,
    document: IdentityProviderDocument,
    client: { readonly secret: string; readonly skewSeconds: number },
  ) {
    this.issuer = document.issuer
    this.#providers = providers
    this.#document = document
    this.#client = client
  }

  async authorizationUrl({ redirectUrl, state, nonce, challenge }: SourceStart): Promise<URL> {
    const { scopes } = this.#document
    return oidc.buildAuthorizationUrl(await this.#providers.forStart(this.#document), {
      redirect_uri: redirectUrl,
      scope: ['openid', ...scopes.filter((scope) => scope !== 'openid')].join(' '),
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
  }

  /** The claims of the ID token come first. */
  async finish(url: URL, { nonce, state, verifier }: SourceAnswer): Promise<{ claims: Document }> {
    const { issuer, clientId } = this.#document
    const config = await this.#providers.forFinish({ issuer, clientId, ...this.#client })
    const tokens = await oidc.authorizationCodeGrant(config, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !isIdentifier(claims.sub)) {
      throw new SkeinError('SIGN_IN_INVALID', { message: 'The identity provider did not say who signed in.' })
    }
    if (config.serverMetadata().userinfo_endpoint === undefined) return { claims: { ...claims } }
    const more: unknown = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
    return { claims: { ...(isDocument(more) && more), ...claims } }
  }
}

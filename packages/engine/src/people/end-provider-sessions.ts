import { SkeinError } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { isDocument } from '@skein/core'
import { BrowserSessionStore } from '@skein/store'
import { createRemoteJWKSet, customFetch, decodeJwt, jwtVerify, type JWTPayload } from 'jose'
import type { EngineResources } from '../resources.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { tenantInPath } from '../access/tenant-in-path.ts'
import { requireProvider } from './find-provider.ts'
import { ProviderUnreachable } from './identity-providers.ts'
import { providerUnavailable } from './provider-errors.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Keys are public: a signature with a shared secret or none proves nothing. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const TOLERANCE_SECONDS = 30
const MAX_AGE_SECONDS = 300
const MAX_TOKEN_LENGTH = 16_384

interface LogoutRequest {
  /** As in the URL: `codehost_app:acme`. */
  readonly tenant: string
  readonly name: string
  readonly body: Uint8Array
  readonly address: string
}

/**
 * Ends the sessions that an identity provider ended. Only those opened before, so that the same request sent again
 * changes nothing.
 */
export async function endProviderSessions(
  engine: EngineResources,
  { tenant, name, body, address }: LogoutRequest,
): Promise<Record<string, never>> {
  const attempt = { address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const { tenantId, document } = await findProvider(engine, tenant, name)
  const token = new URLSearchParams(Buffer.from(body).toString('utf8')).get('logout_token') ?? ''
  const claims = await verify(engine, document, token)
  const { subject, providerSession } = readTarget(claims)
  const openedUntil = (claims.iat ?? 0) * 1000 + 999
  await engine.database.forTenant(tenantId, (transaction) =>
    new BrowserSessionStore(transaction).revokeOfPerson(
      { identityProvider: name, issuer: document.issuer, subject, providerSession, openedUntil },
      engine.clock.now(),
    ),
  )
  await forgiveAttempt(engine, attempt)
  return {}
}

/** The same answer for an unknown tenant or provider as for a wrong token. */
async function findProvider(engine: EngineResources, tenant: string, name: string) {
  if (!isName(name)) throw invalidLogout()
  try {
    return await requireProvider(engine, tenantInPath(tenant), name)
  } catch (error) {
    if (error instanceof SkeinError && error.reason === 'IDENTITY_PROVIDER_NOT_FOUND') throw invalidLogout()
    throw error
  }
}

async function verify(
  { identityProviders, clock }: EngineResources,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  token: string,
): Promise<JWTPayload> {
  // Before any request: anybody can send anything here.
  if (token.length > MAX_TOKEN_LENGTH || !isFor(token, issuer)) throw invalidLogout()
  try {
    const config = await identityProviders.forStart({ issuer, clientId })
    const { jwks_uri: keysUrl = '' } = config.serverMetadata()
    const keys = createRemoteJWKSet(new URL(keysUrl), { [customFetch]: identityProviders.fetch })
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ['iat', 'events'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    })
    return payload
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw providerUnavailable(error)
    throw invalidLogout(error)
  }
}

function isFor(token: string, issuer: string): boolean {
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** An ID token, which has a nonce, must not be taken for a logout. */
function readTarget({ events, nonce, sub, sid }: JWTPayload) {
  const isLogout = isDocument(events) && isDocument(events[EVENT]) && nonce === undefined
  const subject = typeof sub === 'string' && sub !== '' ? sub : undefined
  const providerSession = typeof sid === 'string' && sid !== '' ? sid : undefined
  if (!isLogout || (subject === undefined && providerSession === undefined)) throw invalidLogout()
  return { subject, providerSession }
}

function invalidLogout(cause?: unknown): SkeinError {
  return new SkeinError('SIGN_IN_INVALID', {
    message: 'This is no logout token of the identity provider.',
    cause,
  })
}

import { SkeinError } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { isDocument, isIdentifier, refuseMoving } from '@skein/core'
import { findOwnHold, SessionEndStore } from '@skein/store'
import type { JWTPayload } from 'jose'
import type { EngineResources } from '../resources.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import { findTenantInPath } from '../access/tenant-in-path.ts'
import { findUsableProvider } from './find-provider.ts'
import { ProviderUnreachable } from './provider-unreachable.ts'
import { providerUnavailable } from './provider-errors.ts'
import { isTokenOf, verifyToken } from './verify-token.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE_SECONDS = 300
/** A provider may give everybody the same session: each person is locked, and a transaction can hold only so many locks. */
const PEOPLE_AT_ONCE = 50

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
  // The sessions of now are in the other cell.
  refuseMoving(await engine.database.forTenant(tenantId, findOwnHold))
  const { subject, providerSession } = readTarget(claims)
  const openedUntil = (claims.iat ?? 0) * 1000 + 999
  const target = { identityProvider: name, issuer: document.issuer, subject, providerSession, openedUntil }
  let isMore = true
  while (isMore) {
    const ended = await engine.database.forTenant(tenantId, (transaction) =>
      new SessionEndStore(transaction).revokeOfPerson(target, engine.clock.now(), PEOPLE_AT_ONCE),
    )
    isMore = ended > 0
  }
  await forgiveAttempt(engine, attempt)
  return {}
}

/** The same answer for an unknown tenant or provider as for a wrong token. */
async function findProvider(engine: EngineResources, tenant: string, name: string) {
  if (!isName(name)) throw invalidLogout()
  const found = await findUsableProvider(engine.database, await findTenantInPath(engine, tenant), name)
  if (!found) throw invalidLogout()
  return found
}

async function verify(
  engine: EngineResources,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  token: string,
): Promise<JWTPayload> {
  // A code host has none, and ends nothing.
  if (issuer === '' || !isTokenOf(token, issuer)) throw invalidLogout()
  const checks = { requiredClaims: ['iat', 'events'], maxTokenAge: MAX_AGE_SECONDS }
  try {
    return await verifyToken(engine, { issuer, audience: clientId }, token, checks)
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw providerUnavailable(error)
    throw invalidLogout(error)
  }
}

/** An ID token, which has a nonce, must not be taken for a logout. */
function readTarget({ events, nonce, sub, sid }: JWTPayload) {
  const isLogout = isDocument(events) && isDocument(events[EVENT]) && nonce === undefined
  if (!isLogout || (sub === undefined && sid === undefined)) throw invalidLogout()
  return { subject: readIdentifier(sub), providerSession: readIdentifier(sid) }
}

/** One that is not valid names nobody, which must not become everybody. */
function readIdentifier(value: unknown): string | undefined {
  if (value !== undefined && !isIdentifier(value)) throw invalidLogout()
  return value
}

function invalidLogout(cause?: unknown): SkeinError {
  return new SkeinError('SIGN_IN_INVALID', {
    message: 'This is not a logout token of the identity provider.',
    cause,
  })
}

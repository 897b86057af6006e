import { SkeinError } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import { requirePermission, type Caller } from '@skein/core'
import { SessionEndStore, type KeyRecord } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { noteRefusedKey } from './refused-keys.ts'
import type { RequestOrigin } from './request-origin.ts'
import { claimKey, findHolder, isKeyOf, isUsable, toCaller, type ClaimedKey } from './known-key.ts'
import { openSession, type SignedIn, type SigningPage } from './open-session.ts'
import { recordSession } from './record-session.ts'
import { chargeAttempt, forgiveAttempt } from './sign-in-limit.ts'
import { isSignInCode, redeemSignInCode } from './sign-in-link.ts'

const SESSION_MS = 7 * 24 * 3_600_000

interface SignIn extends SigningPage {
  /** An API key, or the code of a sign-in link. */
  readonly apiKey: string
}

/** Exchanges a person's key, or a sign-in link made with it, for a session that ends no later than the key. */
export async function signIn(engine: EngineResources, { apiKey, ...page }: SignIn): Promise<SignedIn> {
  const { address, requestId } = page
  const createdAt = engine.clock.now()
  const claimed = claimKey(apiKey)
  const attempt = { address, keyId: claimed?.keyId }
  await chargeAttempt(engine, attempt)
  const key = isSignInCode(apiKey)
    ? await redeemSignInCode(engine, apiKey)
    : await findOwnKey(engine, claimed, { address, requestId })
  if (!key || !isUsable(key, KEY_PREFIXES.apiKey, createdAt)) throw new SkeinError('CREDENTIAL_INVALID')
  const caller = toCaller(key)
  requirePermission(caller, 'session.open')
  await forgiveAttempt(engine, attempt)
  const expiresAt = Math.min(createdAt + SESSION_MS, key.expiresAt ?? Infinity)
  return engine.database.forTenant(key.tenantId, (transaction) =>
    openSession(engine, transaction, page, { caller, keyId: key.keyId, createdAt, expiresAt }),
  )
}

/** Undefined for an unknown key or a wrong secret. Rejected uses of a known key are audited. */
async function findOwnKey(
  engine: EngineResources,
  claimed: ClaimedKey | undefined,
  use: RequestOrigin,
): Promise<KeyRecord | undefined> {
  const key = claimed && (await findHolder(engine, claimed))
  if (!key) return undefined
  const isOwn = isKeyOf(key, claimed.digest) && isUsable(key, KEY_PREFIXES.apiKey, engine.clock.now())
  if (!isOwn) noteRefusedKey(engine, claimed, key, use)
  return isOwn ? key : undefined
}

/** Ends the caller's session, or all browser sessions of the same token. */
export async function signOut(
  { database, clock }: EngineResources,
  caller: Caller,
  { isEverywhere, ...origin }: { readonly isEverywhere: boolean } & RequestOrigin,
): Promise<void> {
  const { tenantId, keyId = '' } = caller
  const sessionId = caller.sessionId ?? caller.commandLineId ?? ''
  await database.forTenant(tenantId, async (transaction) => {
    const sessions = new SessionEndStore(transaction)
    const at = clock.now()
    if (isEverywhere) await sessions.revokeLike(caller, keyId, at)
    else if (sessionId !== '') await sessions.revoke(sessionId, at)
    const name = isEverywhere ? '*' : sessionId
    if (name !== '') await recordSession(transaction, { caller, ...origin, operation: 'signOut', name, at })
  })
}

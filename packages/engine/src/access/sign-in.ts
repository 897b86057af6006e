import { SkeinError } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import { requirePermission, type Caller } from '@skein/core'
import { BrowserSessionStore, type KeyRecord } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from './keys.ts'
import { noteRefusedKey, type KeyUse } from './refused-keys.ts'
import { claimKey, findHolder, isKeyOf, isUsable, toCaller, type ClaimedKey } from './known-key.ts'
import { recordSession } from './record-session.ts'
import { chargeAttempt, forgiveAttempt } from './sign-in-limit.ts'
import { isSignInCode, redeemSignInCode } from './sign-in-link.ts'

const SESSION_MS = 7 * 24 * 3_600_000
const MAX_USER_AGENT_LENGTH = 256

/** Per account. One more ends the oldest. */
const MAX_SESSIONS = 50

interface SignIn {
  /** An API key, or the code of a sign-in link. */
  readonly apiKey: string
  readonly address: string
  /** Sent by the page with each request, in addition to the cookie. */
  readonly pageSecret: string
  readonly userAgent: string
  readonly requestId: string
}

interface SignedIn {
  /** Only for the cookie: the database stores its digest. */
  readonly secret: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly caller: Caller
}

/** Exchanges a person's key, or a sign-in link made with it, for a session that ends no later than the key. */
export async function signIn(
  engine: EngineResources,
  { apiKey, address, pageSecret, userAgent, requestId }: SignIn,
): Promise<SignedIn> {
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
  const secret = Buffer.from(engine.random.bytes(32)).toString('base64url')
  const expiresAt = Math.min(createdAt + SESSION_MS, key.expiresAt ?? Infinity)
  const id = uuidV7({ msecs: createdAt, random: engine.random.bytes(16) })
  await engine.database.forTenant(key.tenantId, async (transaction) => {
    const sessions = new BrowserSessionStore(transaction)
    await sessions.add({
      id,
      keyId: key.keyId,
      secretSha256: hashSecret(secret),
      pageSecretSha256: hashSecret(pageSecret),
      userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      createdAt,
      expiresAt,
    })
    await sessions.keepNewest(caller, MAX_SESSIONS, createdAt)
    await recordSession(transaction, { caller, requestId, operation: 'signIn', name: id, at: createdAt })
  })
  return { secret, createdAt, expiresAt, caller }
}

/** Undefined for an unknown key or a wrong secret. Rejected uses of a known key are audited. */
async function findOwnKey(
  engine: EngineResources,
  claimed: ClaimedKey | undefined,
  use: KeyUse,
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
  { isEverywhere, requestId }: { readonly isEverywhere: boolean; readonly requestId: string },
): Promise<void> {
  const { tenantId, token, sessionId = '' } = caller
  await database.forTenant(tenantId, async (transaction) => {
    const sessions = new BrowserSessionStore(transaction)
    const at = clock.now()
    if (isEverywhere) await sessions.revokeOfToken(token, at)
    else if (sessionId !== '') await sessions.revoke(sessionId, at)
    const name = isEverywhere ? '*' : sessionId
    if (name !== '') await recordSession(transaction, { caller, requestId, operation: 'signOut', name, at })
  })
}

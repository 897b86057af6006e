import { KEY_PREFIXES, SkeinError } from '@skein/contract'
import { requirePermission, type Caller } from '@skein/core'
import { BrowserSessionStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from './keys.ts'
import { claimKey, findKnownKey, isUsable, toCaller } from './known-key.ts'

const SESSION_MS = 7 * 24 * 3_600_000
const MAX_USER_AGENT_LENGTH = 256

interface SignedIn {
  /** For the cookie, and nowhere else: only its digest is stored. */
  readonly secret: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly caller: Caller
}

/** Exchanges the key of a person for a session, which ends with the key at the latest. */
export async function signIn(
  engine: EngineResources,
  { apiKey, userAgent }: { readonly apiKey: string; readonly userAgent: string },
): Promise<SignedIn> {
  const createdAt = engine.clock.now()
  const claimed = claimKey(apiKey)
  const key = claimed?.prefix === KEY_PREFIXES.apiKey ? await findKnownKey(engine, claimed) : undefined
  if (!key || !isUsable(key, KEY_PREFIXES.apiKey, createdAt)) throw new SkeinError('CREDENTIAL_INVALID')
  const caller = toCaller(key)
  requirePermission(caller, 'session.open')
  const secret = Buffer.from(engine.random.bytes(32)).toString('base64url')
  const expiresAt = Math.min(createdAt + SESSION_MS, key.expiresAt ?? Infinity)
  await engine.database.forTenant(key.tenantId, (session) =>
    new BrowserSessionStore(session).add({
      id: uuidV7({ msecs: createdAt, random: engine.random.bytes(16) }),
      keyId: key.keyId,
      secretSha256: hashSecret(secret),
      userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      createdAt,
      expiresAt,
    }),
  )
  return { secret, createdAt, expiresAt, caller }
}

/** Ends the caller's own session, or those of all browsers that signed in with the same token. */
export async function signOut(
  { database, clock }: EngineResources,
  { tenantId, token, sessionId }: Caller,
  { isEverywhere }: { readonly isEverywhere: boolean },
): Promise<void> {
  await database.forTenant(tenantId, async (session) => {
    const sessions = new BrowserSessionStore(session)
    if (isEverywhere) await sessions.revokeOfToken(token, clock.now())
    else if (sessionId !== undefined) await sessions.revoke(sessionId, clock.now())
  })
}

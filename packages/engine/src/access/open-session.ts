import type { Caller } from '@skein/core'
import { BrowserSessionStore, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { hashSecret } from './keys.ts'
import { recordSession } from './record-session.ts'

const MAX_USER_AGENT_LENGTH = 256

/** Per account. One more ends the oldest. */
export const MAX_SESSIONS = 50

/** The browser, and the page in it that signs in. */
export interface SigningPage {
  readonly address: string
  /** Sent by the page with each request, in addition to the cookie. */
  readonly pageSecret: string
  readonly userAgent: string
  readonly requestId: string
}

export interface SignedIn {
  /** Only for the cookie: the database stores its digest. */
  readonly secret: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly caller: Caller
}

interface NewSession {
  readonly caller: Caller
  readonly keyId: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The identity provider's own name for it. */
  readonly providerSession?: string | undefined
}

/** A new secret each time, whatever the browser sent: nobody can choose another's session. */
export async function openSession(
  { random }: EngineResources,
  transaction: Transaction,
  { address, pageSecret, userAgent, requestId }: SigningPage,
  { caller, keyId, createdAt, expiresAt, providerSession }: NewSession,
): Promise<SignedIn> {
  const secret = Buffer.from(random.bytes(32)).toString('base64url')
  const id = uuidV7({ msecs: createdAt, random: random.bytes(16) })
  const sessions = new BrowserSessionStore(transaction)
  await sessions.add({
    id,
    keyId,
    secrets: { secretSha256: hashSecret(secret), pageSecretSha256: hashSecret(pageSecret) },
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    createdAt,
    expiresAt,
    providerSession,
  })
  await sessions.keepNewest(caller, MAX_SESSIONS, createdAt)
  await recordSession(transaction, {
    caller,
    requestId,
    address,
    operation: 'signIn',
    name: id,
    at: createdAt,
  })
  return { secret, createdAt, expiresAt, caller }
}

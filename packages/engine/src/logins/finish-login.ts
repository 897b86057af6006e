import { createHash } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import {
  BrowserSessionStore,
  CatalogStore,
  findKey,
  LoginStore,
  type Transaction,
  type WaitingLogin,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { hashSecret } from '../access/keys.ts'
import { isUsable, toCaller } from '../access/known-key.ts'
import { MAX_SESSIONS } from '../access/open-session.ts'
import { recordSession } from '../access/record-session.ts'
import { isEqual } from '../is-equal.ts'
import type { EngineResources } from '../resources.ts'
import type { RequestOrigin } from '../access/request-origin.ts'
import { mintSessionKeys, type SessionKeys } from '../access/session-keys.ts'

interface FinishLogin extends RequestOrigin {
  readonly loginId: string
  readonly codeVerifier: string
  readonly code?: string
}

const loginExpired = () => new SkeinError('LOGIN_EXPIRED')

/** Opens the session of a command line that a person confirmed. */
export async function finishLogin(
  engine: EngineResources,
  { loginId, codeVerifier, code = '', ...origin }: FinishLogin,
): Promise<SessionKeys> {
  const { database, clock } = engine
  const login = await database.statement((transaction) =>
    new LoginStore(transaction).read(loginId, clock.now()),
  )
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
  if (!login || !isEqual(login.codeChallenge, challenge)) throw loginExpired()
  if (!login.isDecided) throw await pendingError(engine, loginId, login)
  const { allowed } = login
  if (!allowed) throw new SkeinError('LOGIN_REFUSED')
  if (login.codeSha256 && !isEqual(login.codeSha256, hashSecret(code))) throw loginExpired()
  return open(engine, { loginId, hostName: login.hostName, allowed, ...origin })
}

interface AllowedLogin extends Pick<WaitingLogin, 'hostName'>, RequestOrigin {
  readonly loginId: string
  readonly allowed: NonNullable<WaitingLogin['allowed']>
}

async function open(
  engine: EngineResources,
  { loginId, hostName, allowed, ...origin }: AllowedLogin,
): Promise<SessionKeys> {
  const { database, clock, random } = engine
  const { keyId, sessionId, sessionEndsAt: expiresAt, providerSession } = allowed
  const createdAt = clock.now()
  const key = await database.statement((transaction) => findKey(transaction, keyId))
  if (!key || !isUsable(key, KEY_PREFIXES.apiKey, createdAt) || expiresAt <= createdAt) throw loginExpired()
  const caller = toCaller(key)
  const id = uuidV7({ msecs: createdAt, random: random.bytes(16) })
  await database.forTenant(key.tenantId, async (transaction) => {
    const sessions = new BrowserSessionStore(transaction)
    // A change of the person's provider ends its sessions, so this one begins before or not at all.
    await lockProvider(transaction, key.name)
    // Whatever ended the session of the person who confirmed also ends what they confirmed there.
    if (!(await sessions.lockLive(caller, sessionId, createdAt))) throw loginExpired()
    const own = await sessions.find(sessionId)
    if (!own || !(await new LoginStore(transaction).take(loginId))) throw loginExpired()
    const session = { id, keyId, secrets: undefined, userAgent: hostName, createdAt, expiresAt }
    await sessions.add({ ...session, providerSession, signedInAt: own.createdAt })
    await sessions.keepNewest(caller, MAX_SESSIONS, createdAt)
    await recordSession(transaction, { caller, ...origin, operation: 'signIn', name: id, at: createdAt })
  })
  return mintSessionKeys(engine, caller, { id, expiresAt, renewals: 0 })
}

/** Of a key that stands for a person: the identity provider, and the code host behind it. */
async function lockProvider(transaction: Transaction, keyName: string): Promise<void> {
  const [kind = '', name] = keyName.split('/')
  if (name === undefined) return
  const catalog = new CatalogStore(transaction)
  // The directory too: writing it ends sessions.
  await catalog.lockReferences([
    { kind, name },
    { kind: 'directory', name },
  ])
  const codeHost = (await catalog.find({ kind, name }))?.document?.['codeHost']
  if (typeof codeHost === 'string' && codeHost !== '') {
    await catalog.lockReferences([{ kind: 'code-host', name: codeHost }])
  }
}

/** Only a login with a code is asked for again and again. */
async function pendingError(
  { database, clock }: EngineResources,
  loginId: string,
  { port }: WaitingLogin,
): Promise<SkeinError> {
  const seconds =
    port === undefined
      ? await database.statement((transaction) => new LoginStore(transaction).poll(loginId, clock.now()))
      : 0
  if (seconds === 0) return new SkeinError('LOGIN_PENDING')
  return new SkeinError('RATE_LIMITED', {
    message: `Poll at most every ${seconds} seconds.`,
    retryDelayMs: seconds * 1000,
  })
}

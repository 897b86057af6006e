import { formatTimestamp, SkeinError } from '@skein/contract'
import { parseLoginCode } from '@skein/contract/facts'
import { addressBlock, type Caller } from '@skein/core'
import { BrowserSessionStore, LoginStore, type LoginRecord, type Transaction } from '@skein/store'
import { hashSecret } from '../access/keys.ts'
import { recordSession } from '../access/record-session.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import type { EngineResources } from '../resources.ts'
import { digestsOf } from './start-login.ts'

interface WantedLogin {
  readonly loginId?: string
  readonly userCode?: string
  readonly address: string
}

interface DecideLogin extends WantedLogin {
  readonly isAllowed: boolean
  readonly requestId: string
}

interface ShownLogin {
  readonly loginId: string
  readonly way: 'browser' | 'code'
  readonly hostName: string
  readonly address: string
  readonly isSameAddress: boolean
  readonly createTime: string
  readonly expireTime: string
}

interface FindLogin extends WantedLogin {
  /** Whether the address is that of a proxy, as far as one can tell. */
  readonly isForwarded: boolean
}

/** What the person is asked to confirm. */
export async function findLogin(
  engine: EngineResources,
  caller: Caller,
  { isForwarded, ...wanted }: FindLogin,
): Promise<ShownLogin> {
  const { id, port, hostName, address, createdAt, expiresAt } = await requireLogin(engine, caller, wanted)
  return {
    loginId: id,
    way: port === undefined ? 'code' : 'browser',
    hostName,
    address,
    // Behind a proxy, everybody would have the same.
    isSameAddress: !isForwarded && address === addressBlock(wanted.address),
    createTime: formatTimestamp(createdAt),
    expireTime: formatTimestamp(expiresAt),
  }
}

/** Lets the command line act as the caller, or refuses. Returns where to send the browser. */
export async function decideLogin(
  engine: EngineResources,
  caller: Caller,
  { isAllowed, requestId, ...wanted }: DecideLogin,
): Promise<{ redirectUrl: string }> {
  const { id, port } = await requireLogin(engine, caller, wanted)
  const at = engine.clock.now()
  const code = Buffer.from(engine.random.bytes(32)).toString('base64url')
  await engine.database.forTenant(caller.tenantId, async (transaction) => {
    const allowed = isAllowed ? await sessionFor(transaction, caller, at) : undefined
    const codeSha256 = port === undefined ? undefined : hashSecret(code)
    const isFirst = await new LoginStore(transaction).decide(id, {
      at,
      allowed: allowed && { ...allowed, codeSha256 },
    })
    if (!isFirst) throw new SkeinError('LOGIN_NOT_FOUND')
    const operation = isAllowed ? 'confirmLogin' : 'refuseLogin'
    await recordSession(transaction, { caller, requestId, address: wanted.address, operation, name: id, at })
  })
  // Always this machine, whatever was asked for: a code must not reach another one.
  const answer = isAllowed ? `code=${code}` : 'error=access_denied'
  return { redirectUrl: port === undefined ? '' : `http://127.0.0.1:${port}/?login=${id}&${answer}` }
}

async function requireLogin(
  engine: EngineResources,
  caller: Caller,
  { loginId, userCode, address }: WantedLogin,
): Promise<LoginRecord> {
  // A stolen key could confirm logins again and again. A session has been opened by a person.
  if (caller.sessionId === undefined) {
    throw new SkeinError('PERMISSION_MISSING', {
      message: 'A command line is confirmed in a browser that is signed in.',
    })
  }
  const attempt = { address, keyId: caller.keyId }
  await chargeAttempt(engine, attempt)
  const code = parseLoginCode(userCode ?? '')
  const digests = code === undefined ? [] : digestsOf(engine, code)
  const found = await engine.database.statement((transaction) =>
    new LoginStore(transaction).find(loginId, digests, engine.clock.now()),
  )
  if (!found) throw new SkeinError('LOGIN_NOT_FOUND')
  await forgiveAttempt(engine, attempt)
  return found
}

/** As long as the browser's session when it was opened: nobody stays longer by using a command line. */
async function sessionFor(
  transaction: Transaction,
  { sessionId = '', keyId = '', expiresAt }: Caller,
  at: number,
) {
  const own = await new BrowserSessionStore(transaction).find(sessionId)
  if (!own) throw new SkeinError('CREDENTIAL_INVALID')
  const sessionEndsAt = Math.min(at + own.expiresAt - own.createdAt, expiresAt ?? Infinity)
  return { keyId, sessionId, sessionEndsAt, providerSession: own.providerSession }
}

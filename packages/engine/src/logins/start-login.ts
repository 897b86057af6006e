import { formatTimestamp, SkeinError } from '@skein/contract'
import { formatLoginCode, LOGIN_CODE_LENGTH, LOGIN_CODE_LETTERS } from '@skein/contract/facts'
import { addressBlock, addressNetwork } from '@skein/core'
import { LoginStore } from '@skein/store'
import { v4 as uuidV4 } from 'uuid'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import type { EngineResources } from '../resources.ts'

const LOGIN_MS = 10 * 60_000
const INTERVAL_SECONDS = 5
const MOST_OF_ADDRESS = 20
/** A provider gives a whole network of IPv6 to one customer, who has 65,536 addresses to count by. */
const MOST_OF_NETWORK = 200
/** Anybody can start one, so the table has an end. */
const MOST = 10_000

interface StartLogin {
  readonly codeChallenge: string
  readonly port?: number
  readonly hostName?: string
  readonly address: string
}

interface StartedLogin {
  readonly loginId: string
  readonly url: string
  readonly userCode: string
  readonly intervalSeconds: number
  readonly expireTime: string
}

/** A command line that waits until a person confirms it in the dashboard. */
export async function startLogin(
  engine: EngineResources,
  { codeChallenge, port, hostName = '', address }: StartLogin,
): Promise<StartedLogin> {
  const attempt = { address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const createdAt = engine.clock.now()
  const expiresAt = createdAt + LOGIN_MS
  // Random throughout: the id is in the link that a browser opens.
  const loginId = uuidV4({ random: engine.random.bytes(16) })
  const code = port === undefined ? randomCode(engine) : undefined
  const isStarted = await engine.database.statement((transaction) =>
    new LoginStore(transaction).start({
      id: loginId,
      userCode: code === undefined ? undefined : digestsOf(engine, code)[0],
      port,
      codeChallenge,
      hostName,
      address: addressBlock(address),
      network: addressNetwork(address),
      createdAt,
      expiresAt,
      intervalSeconds: INTERVAL_SECONDS,
      mostOfAddress: MOST_OF_ADDRESS,
      mostOfNetwork: MOST_OF_NETWORK,
      most: MOST,
    }),
  )
  if (!isStarted) {
    throw new SkeinError('RATE_LIMITED', {
      message: 'Too many command lines wait to be confirmed.',
      retryDelayMs: 60_000,
    })
  }
  await forgiveAttempt(engine, attempt)
  const page = `${engine.publicUrl.replace(/\/+$/, '')}/login`
  return {
    loginId,
    // A code is typed, never part of a link: the person who sends the link must not have chosen the code.
    url: code === undefined ? `${page}?id=${loginId}` : page,
    userCode: code === undefined ? '' : formatLoginCode(code),
    intervalSeconds: INTERVAL_SECONDS,
    expireTime: formatTimestamp(expiresAt),
  }
}

/** Keyed: a code is short enough to be guessed from a plain digest. */
export function digestsOf({ vault }: EngineResources, code: string): Buffer[] {
  return vault.digests(`login code ${code}`)
}

/** Bytes that would favour some letters are not used. */
function randomCode({ random }: EngineResources): string {
  const fair = 256 - (256 % LOGIN_CODE_LETTERS.length)
  let code = ''
  while (code.length < LOGIN_CODE_LENGTH) {
    for (const byte of random.bytes(LOGIN_CODE_LENGTH)) {
      if (byte < fair && code.length < LOGIN_CODE_LENGTH)
        code += LOGIN_CODE_LETTERS[byte % LOGIN_CODE_LETTERS.length]
    }
  }
  return code
}

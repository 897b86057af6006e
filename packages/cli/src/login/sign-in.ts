import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Skein, SkeinApiError, type SessionKeys } from '@skein/client'
import type { Io } from '../io.ts'
import { startBrowser } from '../start-browser.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { userAgentOf } from '../version.ts'
import { listenForCode } from './code-listener.ts'

const MAX_HOST_NAME = 64

/** The dashboard sends the browser back to this machine, with a code. */
export async function signInWithBrowser(io: Io, url: string): Promise<SessionKeys> {
  const { skein, codeVerifier, codeChallenge, hostName } = begin(url)
  const listener = await listenForCode()
  try {
    const { port } = listener
    const login = await skein.startLogin({ codeChallenge, port, hostName })
    const page = requireOwn(login.url, url)
    io.note(`Confirm in your browser: ${page}`)
    if (!(await startBrowser(page, io.env)))
      io.note('Could not start a browser. Open the URL above yourself.')
    io.note('If the browser is on another machine, use skein login --device.')
    const { loginId } = login
    const { code } = await listener
      .waitFor(loginId, AbortSignal.timeout(Math.max(1_000, Date.parse(login.expireTime) - Date.now())))
      .catch(() => {
        throw new UsageError('The login was not confirmed in time.', 'Start again with: skein login')
      })
    return await skein.finishLogin({ loginId, codeVerifier, ...(code !== undefined && { code }) })
  } finally {
    listener.close()
  }
}

/** The person types a code in a browser, which can be on another machine. */
export async function signInWithCode(io: Io, url: string): Promise<SessionKeys> {
  const { skein, codeVerifier, codeChallenge, hostName } = begin(url)
  const login = await skein.startLogin({ codeChallenge, hostName })
  io.note(`Open ${requireOwn(login.url, url)} in a browser and type this code: ${login.userCode}`)
  for (;;) {
    await pause(login.intervalSeconds * 1000)
    try {
      return await skein.finishLogin({ loginId: login.loginId, codeVerifier })
    } catch (error) {
      if (!(error instanceof SkeinApiError) || error.reason !== 'LOGIN_PENDING') throw error
    }
  }
}

function begin(url: string) {
  const codeVerifier = randomBytes(32).toString('base64url')
  return {
    skein: new Skein({ baseUrl: url, userAgent: userAgentOf('skein-cli') }),
    codeVerifier,
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    hostName: hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, MAX_HOST_NAME),
  }
}

/** Only a page of the server itself: another one could ask for a key. The desktop's opener would also open files. */
function requireOwn(page: string, url: string): string {
  const { protocol = '', origin = '' } = URL.parse(page) ?? {}
  if (!/^https?:$/.test(protocol)) {
    throw new UsageError(
      `The server returned a URL that is not a web page: ${page}`,
      'Check the server’s SKEIN_PUBLIC_URL.',
    )
  }
  const own = new URL(url).origin
  if (origin === own) return page
  throw new UsageError(
    `The page to confirm on is at ${origin}, but you sign in to ${own}.`,
    `If you trust that page, use --url ${origin}. Otherwise check the server’s SKEIN_PUBLIC_URL.`,
  )
}

import { cutText } from '@skein/contract'
import { CodeHostError } from '../code-host.ts'

const MAX_SAID = 300
const MAX_WAIT_MS = 60 * 60 * 1000

interface Failure {
  readonly status: number
  readonly said: string
  readonly header: (name: string) => string
  readonly now: number
}

/** What a status other than success means, in words for people. */
export function toHostError({ status, said, header, now }: Failure): CodeHostError {
  const text = said === '' ? `status ${status}` : `status ${status}: ${quote(said)}`
  const retryAfterMs = waitOf(header, now)
  if (status === 429 || (status === 403 && retryAfterMs > 0)) {
    return new CodeHostError(`The code host asks to wait (${text}).`, { isFinal: false, retryAfterMs })
  }
  if (status >= 500) {
    return new CodeHostError(`The code host failed (${text}).`, { isFinal: false, retryAfterMs })
  }
  const isMissing = status === 404 || status === 410
  return new CodeHostError(`The code host refused (${text}).`, { isFinal: true, isMissing })
}

/** A host that cannot be reached. The message is the guard's, which reveals nothing about our network. */
export function toUnreachable(error: unknown): CodeHostError {
  if (error instanceof CodeHostError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CodeHostError(`The code host cannot be used: ${quote(message)}`, {
    isFinal: false,
    cause: error,
  })
}

/** The host chose this text: one line, of a bounded length, without what a terminal would obey. */
function quote(text: string): string {
  return cutText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), MAX_SAID)
}

function waitOf(header: Failure['header'], now: number): number {
  const seconds = Number(header('retry-after'))
  if (seconds > 0) return Math.min(seconds * 1000, MAX_WAIT_MS)
  if (header('x-ratelimit-remaining') !== '0') return 0
  const resetMs = Number(header('x-ratelimit-reset')) * 1000 - now
  return resetMs > 0 ? Math.min(resetMs, MAX_WAIT_MS) : 0
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The wait before each attempt after the first: about three days in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** After this, an event that could not even be tried because its receiver is down is given up too. */
const GIVE_UP_AFTER_MS = RETRY_DELAYS_MS.reduce((total, delay) => total + delay, 0)

/** An endpoint that has only failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR

/** The longest a receiver can ask us to wait. */
const MAX_RETRY_AFTER_MS = 24 * HOUR

/** From this many failures in a row on, one request at a time tests whether the receiver is back. */
const FAILURES_TO_OPEN = 5
const FIRST_PROBE_MS = 5 * SECOND
const MAX_PROBE_MS = 5 * MINUTE

/** What a request led to. */
export type Answer =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly error: string; readonly retryAfterMs?: number | undefined }
  /** The receiver does not want any more. */
  | { readonly type: 'gone'; readonly error: string }

export function readAnswer(status: number, retryAfter: string | undefined, now: number): Answer {
  if (status >= 200 && status < 300) return { type: 'delivered' }
  const error = `The receiver answered with status ${status}.`
  if (status === 410) return { type: 'gone', error }
  return { type: 'failed', error, retryAfterMs: readRetryAfter(retryAfter, now) }
}

/** Seconds or an HTTP date. Anything else is ignored. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.length > 64) return undefined
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined
}

export interface FailedAttempt {
  /** Including this one. */
  readonly attempts: number
  readonly waitingSince: number
  readonly retryAfterMs?: number | undefined
  readonly now: number
  /** Between 0 and 1. */
  readonly random: number
}

/** When to try again; undefined to give up. */
export function nextAttempt(failed: FailedAttempt): number | undefined {
  const delay = RETRY_DELAYS_MS[failed.attempts - 1]
  if (delay === undefined || isGivenUp(failed.waitingSince, failed.now)) return undefined
  return failed.now + Math.max(jittered(delay, failed.random), failed.retryAfterMs ?? 0)
}

/** Events that have waited since before this time are given up. A tenth more than the delays, which are jittered. */
export function giveUpBefore(now: number): number {
  return now - 1.1 * GIVE_UP_AFTER_MS
}

function isGivenUp(waitingSince: number, now: number): boolean {
  return waitingSince < giveUpBefore(now)
}

/** The state of an endpoint's circuit. */
export interface Circuit {
  /** In a row. */
  readonly failures: number
  /** Of the first failure in the row. */
  readonly failingSince: number | undefined
}

export function isOpen({ failures }: Circuit): boolean {
  return failures >= FAILURES_TO_OPEN
}

export function afterDelivery(): Circuit {
  return { failures: 0, failingSince: undefined }
}

export function afterFailure({ failures, failingSince }: Circuit, now: number): Circuit {
  return { failures: failures + 1, failingSince: failingSince ?? now }
}

export function isDead({ failingSince }: Circuit, now: number): boolean {
  return failingSince !== undefined && now - failingSince > DISABLE_AFTER_MS
}

/**
 * When an open circuit is tested next: the longer the receiver has failed, the later. The number of failures says nothing
 * about that, because several requests that were on their way at the same time can fail together.
 */
export function nextProbe({ failingSince = Infinity }: Circuit, now: number, random: number): number {
  const delay = Math.min(Math.max(now - failingSince, FIRST_PROBE_MS), MAX_PROBE_MS)
  return now + jittered(delay, random)
}

/** Up to a tenth more, so that many retries don't come at the same moment. */
function jittered(delay: number, random: number): number {
  return Math.round(delay * (1 + random / 10))
}

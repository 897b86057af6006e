import { setTimeout as pause } from 'node:timers/promises'
import type { RateLimit } from './front-limits.ts'

/** Allows a burst, then a steady rate per second. Requests that come too early wait. */
export class Rate {
  readonly #limit: RateLimit
  readonly #now: () => number
  /** When everything allowed so far is paid for at the steady rate. */
  #paidAt = -Infinity

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  /** Whether this is equivalent to a new instance. */
  get isIdle(): boolean {
    return this.#paidAt <= this.#now()
  }

  /** Resolves when it is this request's turn; to false if that takes too long or the signal comes first. */
  async pass(cost: number, signal: AbortSignal): Promise<boolean> {
    const { perSecond, burst, maxWaitMs } = this.#limit
    const now = this.#now()
    const paidAt = Math.max(this.#paidAt, now) + (cost * 1000) / perSecond
    const waitMs = paidAt - now - (burst * 1000) / perSecond
    if (waitMs > maxWaitMs) return false
    this.#paidAt = paidAt
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined)
    return !signal.aborted
  }
}

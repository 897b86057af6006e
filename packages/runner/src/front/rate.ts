import { setTimeout as pause } from 'node:timers/promises'
import type { RateLimit } from './front-limits.ts'

/** Lets a burst through at once, and then so much per second; what comes too early waits. */
export class Rate {
  readonly #limit: RateLimit
  readonly #now: () => number
  /** When all that has been let through is paid for, at the steady rate. */
  #paidAt = -Infinity

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  /** Nothing is remembered that a new one would not start with. */
  get isIdle(): boolean {
    return this.#paidAt <= this.#now()
  }

  /** Resolves when it is this one's turn: to false if that would take too long, or if the signal comes first. */
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

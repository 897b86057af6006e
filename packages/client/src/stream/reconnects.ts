import { SkeinClientError } from '../errors.ts'
import { retryDelayMs } from '../call/retry-policy.ts'
import { DEFAULT_RETRIES, type SenderOptions } from '../call/send-call.ts'

/** A connection that lasted so long was a good one, even if nothing was said on it. */
const GOOD_CONNECTION_MS = 10_000

/** Decides when a stream that was cut is opened again, and when that is hopeless. */
export class Reconnects {
  readonly #name: string
  readonly #options: SenderOptions
  readonly #now: () => number
  readonly #patienceMs: number
  #hasOpened = false
  #openedAtMs = Infinity
  #lostAtMs: number | undefined
  #failures = 0

  constructor(name: string, options: SenderOptions, patienceMs: number) {
    this.#name = name
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#patienceMs = patienceMs
  }

  /** Says nothing yet: something may answer and hang up at once. */
  opened(): void {
    this.#hasOpened = true
    this.#openedAtMs = this.#now()
  }

  received(): void {
    this.#lostAtMs = undefined
    this.#failures = 0
  }

  /** How long to pause before the next try. Throws the error when there must not be one. */
  delayAfter(error: unknown): number {
    if (!(error instanceof SkeinClientError)) throw error
    const nowMs = this.#now()
    if (nowMs - this.#openedAtMs > GOOD_CONNECTION_MS) this.received()
    this.#openedAtMs = Infinity
    this.#lostAtMs ??= nowMs
    this.#failures += 1
    const { random = Math.random, retries = DEFAULT_RETRIES } = this.#options
    const delayMs = retryDelayMs(error, { attempt: this.#failures, isRepeatable: true, random })
    // A service that was never there is a mistake in the settings more often than one that will come back.
    const isHopeless = this.#hasOpened ? nowMs - this.#lostAtMs >= this.#patienceMs : this.#failures > retries
    if (delayMs === undefined || isHopeless) throw error
    this.#options.onRetry?.({ operation: { id: this.#name }, attempt: this.#failures, delayMs, error })
    return delayMs
  }
}

import { SkeinClientError } from '../errors.ts'
import { retryDelayMs } from '../call/retry-policy.ts'
import { DEFAULT_RETRIES, type SenderOptions } from '../call/send-call.ts'

/** A connection that lasted this long was good, even without any events. */
const GOOD_CONNECTION_MS = 10_000

/** Decides when to reopen a stream, and when to give up. */
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

  /** Doesn't count as success yet: the peer may accept the connection and close it immediately. */
  opened(): void {
    this.#hasOpened = true
    this.#openedAtMs = this.#now()
  }

  received(): void {
    this.#lostAtMs = undefined
    this.#failures = 0
  }

  /** Delay before the next attempt. Throws the error if there must be none. */
  delayAfter(error: unknown): number {
    if (!(error instanceof SkeinClientError)) throw error
    const nowMs = this.#now()
    if (nowMs - this.#openedAtMs > GOOD_CONNECTION_MS) this.received()
    this.#openedAtMs = Infinity
    this.#lostAtMs ??= nowMs
    this.#failures += 1
    const { random = Math.random, retries = DEFAULT_RETRIES } = this.#options
    const delayMs = retryDelayMs(error, { attempt: this.#failures, isRepeatable: true, random })
    // A service that was never reached is more often a configuration error than one that will come back.
    const isHopeless = this.#hasOpened ? nowMs - this.#lostAtMs >= this.#patienceMs : this.#failures > retries
    if (delayMs === undefined || isHopeless) throw error
    this.#options.onRetry?.({ operation: { id: this.#name }, attempt: this.#failures, delayMs, error })
    return delayMs
  }
}

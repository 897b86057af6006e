/** The maximum of the platform's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Aborted by the caller or by the timer. Not `AbortSignal.any`: with a caller's signal that lives as long as the
 * program, it would leak something for every call.
 */
export class TimeLimit {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onCallerAbort = (): void => this.#controller.abort(this.#caller?.reason)
  #isOver = false

  /** 0 means no limit. */
  constructor(limitMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller
    if (caller?.aborted === true) this.#onCallerAbort()
    else caller?.addEventListener('abort', this.#onCallerAbort, { once: true })
    this.restart(limitMs)
  }

  /** Starts over: there was a sign of life. */
  restart(limitMs: number): void {
    clearTimeout(this.#timer)
    if (limitMs > 0) this.#timer = setTimeout(() => this.#end(), Math.min(limitMs, MAX_TIMER_MS))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the timer ended it. */
  get isOver(): boolean {
    return this.#isOver
  }

  abort(): void {
    this.#controller.abort()
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onCallerAbort)
  }

  #end(): void {
    this.#isOver = true
    this.#controller.abort()
  }
}

/** Ends early, without an error, if the signal is aborted: the caller checks the signal anyway. */
export function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, durationMs)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}

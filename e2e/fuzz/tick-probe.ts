import { openSync, readSync } from 'node:fs'

const EVERY_MS = 5

export interface Ticks {
  /** The longest that the event loop was away, by the clock. */
  readonly longestTickMs: number
  /** The longest without the time in which the machine had no core to give to this thread. */
  readonly longestOwnTickMs: number
}

/** Measures the event loop of the process that it is in. */
export class TickProbe {
  readonly #buffer = Buffer.alloc(128)
  readonly #schedule = openSchedule()
  #longestTickMs = 0
  #longestOwnTickMs = 0
  #at = performance.now()
  #waitedMs = this.#readWaitedMs()

  constructor() {
    setInterval(() => this.#sample(), EVERY_MS).unref()
  }

  take(): Ticks {
    this.#sample()
    const ticks = { longestTickMs: this.#longestTickMs, longestOwnTickMs: this.#longestOwnTickMs }
    this.#longestTickMs = 0
    this.#longestOwnTickMs = 0
    return ticks
  }

  #sample(): void {
    const [at, waitedMs] = [performance.now(), this.#readWaitedMs()]
    const tickMs = at - this.#at
    this.#longestTickMs = Math.max(this.#longestTickMs, tickMs)
    this.#longestOwnTickMs = Math.max(this.#longestOwnTickMs, tickMs - (waitedMs - this.#waitedMs))
    this.#at = at
    this.#waitedMs = waitedMs
  }

  /** How long this thread has been ready to run without running: Linux says it in nanoseconds. */
  #readWaitedMs(): number {
    if (this.#schedule === undefined) return 0
    const length = readSync(this.#schedule, this.#buffer, 0, this.#buffer.length, 0)
    return Number(this.#buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
}

function openSchedule(): number | undefined {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

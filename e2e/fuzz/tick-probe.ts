import { openSync, readSync } from 'node:fs'

const EVERY_MS = 5

/** Linux counts stolen time in hundredths of a second, whatever its clock does. */
const STOLEN_UNIT_MS = 10

export interface Ticks {
  /** The longest that the event loop was blocked, by the clock. */
  readonly longestTickMs: number
  /**
   * The longest by CPU time: what this thread did itself, without waiting for a core or disk of a busy machine, and
   * without time the host of a virtual machine took from it.
   */
  readonly longestOwnTickMs: number
}

/** Measures the event loop of its process. */
export class TickProbe {
  readonly #used = new ProcFile('/proc/thread-self/schedstat')
  readonly #stolen = new ProcFile('/proc/stat')
  #longestTickMs = 0
  #longestOwnTickMs = 0
  #at = performance.now()
  #ownMs = this.#readOwnMs()

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
    const [at, ownMs] = [performance.now(), this.#readOwnMs()]
    this.#longestTickMs = Math.max(this.#longestTickMs, at - this.#at)
    this.#longestOwnTickMs = Math.max(this.#longestOwnTickMs, ownMs - this.#ownMs)
    this.#at = at
    this.#ownMs = ownMs
  }

  /** CPU time minus the time stolen from all cores. Falls back to the clock on systems other than Linux. */
  #readOwnMs(): number {
    const used = this.#used.readNumber(0)
    return used === undefined
      ? performance.now()
      : used / 1e6 - (this.#stolen.readNumber(8) ?? 0) * STOLEN_UNIT_MS
  }
}

/** The first line of a file that the kernel generates at each read. */
class ProcFile {
  readonly #buffer = Buffer.alloc(256)
  readonly #file: number | undefined

  constructor(path: string) {
    try {
      this.#file = openSync(path, 'r')
    } catch {
      this.#file = undefined
    }
  }

  readNumber(column: number): number | undefined {
    if (this.#file === undefined) return undefined
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0)
    return Number(this.#buffer.toString('latin1', 0, length).split(/\s+/)[column])
  }
}

/** Time as a port: production passes the system clock, tests pass a `TestClock`. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export class TestClock implements Clock {
  #now: number

  constructor(startAt: number = Date.UTC(2026, 0, 1)) {
    this.#now = startAt
  }

  now(): number {
    return this.#now
  }

  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`advance(${ms}): use set() to move a clock backwards`)
    this.#now += ms
  }

  /** May go backwards, as real clocks do when corrected. */
  set(ms: number): void {
    this.#now = ms
  }
}

import { randomUUID } from 'node:crypto'
import type { SegmentWork } from '@skein/store'

export interface TurnTimes {
  /** Longer than one segment takes. */
  readonly holdMs: number
  /** It is prolonged this long after it was last. */
  readonly renewMs: number
}

/** One server at a time moves old events. If one stalls, another takes over. */
export class SegmentTurn {
  readonly #work: <Result>(work: (work: SegmentWork) => Promise<Result>) => Promise<Result>
  readonly #times: TurnTimes
  readonly #holder = randomUUID()
  #keptAt = 0
  #isHeld = false
  #renewing: Promise<boolean> | undefined

  constructor(
    work: <Result>(work: (work: SegmentWork) => Promise<Result>) => Promise<Result>,
    times: TurnTimes,
  ) {
    this.#work = work
    this.#times = times
  }

  /** Returns how far the last server got; undefined if it is another server's turn. */
  async take(): Promise<string | undefined> {
    this.#keptAt = performance.now()
    const after = await this.#work((work) => work.takeTurn(this.#holder, this.#times.holdMs))
    this.#isHeld = after !== undefined
    return after
  }

  /** Says how far this server has got, if it has got further. Returns whether it is still its turn. */
  async keep(afterAgent: string | null = null): Promise<boolean> {
    const now = performance.now()
    if (!(await this.#work((work) => work.keepTurn(this.#holder, afterAgent, this.#times.holdMs))))
      this.#isHeld = false
    this.#keptAt = now
    return this.#isHeld
  }

  /** Same, but asks the database only once in a while. */
  async isHeld(): Promise<boolean> {
    if (!this.#isHeld || performance.now() - this.#keptAt < this.#times.renewMs) return this.#isHeld
    this.#renewing ??= this.keep().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async end(): Promise<void> {
    this.#isHeld = false
    await this.#work((work) => work.endTurn(this.#holder))
  }
}

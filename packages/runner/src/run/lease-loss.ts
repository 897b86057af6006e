/** More than a busy service needs to answer. */
const ANSWER_MS = 15_000

/**
 * Decides what it means for a run that its lease is not current. Usually another runner has it. But while its end is
 * being reported, the run may have ended by that, and only the answer tells: a heartbeat can overtake it, or it can
 * get lost. The report is then repeated, and the service answers as it did the first time.
 */
export class LeaseLoss {
  readonly #onLost: () => void
  readonly #answerMs: number
  #stage: 'working' | 'reporting' | 'reported' = 'working'
  #timer: NodeJS.Timeout | undefined

  constructor(onLost: () => void, answerMs = ANSWER_MS) {
    this.#onLost = onLost
    this.#answerMs = answerMs
  }

  /** The lease is not current, or could not be renewed in time. */
  hear(): void {
    if (this.#stage === 'working') this.#onLost()
    else if (this.#stage === 'reporting') this.#timer ??= setTimeout(this.#onLost, this.#answerMs)
  }

  /** What the report returns decides, unless it takes too long after the lease was lost. */
  async decideBy<End>(report: () => Promise<End>): Promise<End> {
    this.#stage = 'reporting'
    try {
      return await report()
    } finally {
      this.#stage = 'reported'
      clearTimeout(this.#timer)
    }
  }
}

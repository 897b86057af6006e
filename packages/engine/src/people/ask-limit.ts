/** How often something may be asked for: a few times at once, then once in a while. */
export class AskLimit {
  readonly #most: number
  readonly #pauseMs: number
  #left: number
  #countedAt: number | undefined

  constructor(most: number, pauseMs: number) {
    this.#most = most
    this.#pauseMs = pauseMs
    this.#left = most
  }

  /** False if it was asked for too often. */
  spend(now: number): boolean {
    const earned = (now - (this.#countedAt ?? now)) / this.#pauseMs
    this.#left = Math.min(this.#most, this.#left + earned)
    this.#countedAt = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

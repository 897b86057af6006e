/** The most processor time that this thread took between two rounds of its event loop, since it was last asked. */
export class LongestTick {
  #longestMs = 0
  #before = process.threadCpuUsage()
  readonly #timer = setInterval(() => this.#sample(), 1)

  takeMs(): number {
    this.#sample()
    const longestMs = this.#longestMs
    this.#longestMs = 0
    return longestMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Processor time, because a busy machine makes no difference to it. */
  #sample(): void {
    const { user, system } = process.threadCpuUsage(this.#before)
    this.#before = process.threadCpuUsage()
    this.#longestMs = Math.max(this.#longestMs, (user + system) / 1000)
  }
}

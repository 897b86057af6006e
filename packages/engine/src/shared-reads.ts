/**
 * Shares one read among all who ask for the same thing. Those who ask during a read get the next one, which starts
 * after they asked, so a result is never older than the question.
 */
export class SharedReads<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #next = new Map<string, Promise<Result>>()

  read(key: string, read: () => Promise<Result>): Promise<Result> {
    const awaited = this.#next.get(key) ?? this.#follow(key, read)
    this.#next.set(key, awaited)
    return awaited
  }

  async #follow(key: string, read: () => Promise<Result>): Promise<Result> {
    await this.#running.get(key)?.catch(() => undefined)
    this.#next.delete(key)
    const running = read()
    this.#running.set(key, running)
    try {
      return await running
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
  }
}

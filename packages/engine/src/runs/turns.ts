/**
 * Lets one at a time through for each key, in order. Claims of one tenant go one after the other anyway; waiting for
 * that here costs nothing, while waiting for it in the database holds a connection that others need to go on.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    this.#last.set(key, settled)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }
}

/**
 * Callers that ask for the same thing in the same moment share one read, which begins after all of them asked: a
 * thousand waiters on one agent cost one query when it is woken.
 */
export class SharedReads<Value> {
  readonly #asked = new Map<string, Promise<Value>>()

  read(key: string, load: () => Promise<Value>): Promise<Value> {
    const asked = this.#asked.get(key)
    if (asked) return asked
    const reading = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#asked.delete(key)
      return load()
    })
    this.#asked.set(key, reading)
    return reading
  }
}

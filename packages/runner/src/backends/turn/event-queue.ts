/** Values in order, for one reader that may start late and read slowly. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #wake: (() => void) | undefined
  #isEnded = false

  push(value: T): void {
    if (this.#isEnded) return
    this.#waiting.push(value)
    this.#wake?.()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      // Taken out all at once: shifting from a long array is slow.
      yield* this.#waiting.splice(0)
      if (this.#waiting.length > 0) continue
      if (this.#isEnded) return
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
  }
}

/** Lets so many through at once; the others wait in order. */
export class Gate {
  #room: number
  readonly #waiting: (() => void)[] = []

  constructor(room: number) {
    this.#room = room
  }

  /** Resolves to what lets the next one in; calling it twice lets in one. */
  async enter(): Promise<() => void> {
    if (this.#room > 0) this.#room -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#room += 1
    }
  }
}

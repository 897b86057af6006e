/** Limits concurrency. The others wait in order. */
export class Gate {
  #room: number
  readonly #waiting: (() => void)[] = []

  constructor(room: number) {
    this.#room = room
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves to a release function, which may be called repeatedly. Undefined if the signal came first. */
  async enter(signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted === true) return undefined
    if (this.#room > 0) this.#room -= 1
    else if (!(await this.#wait(signal))) return undefined
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#room += 1
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        resolve(false)
      }
      this.#waiting.push(enter)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}

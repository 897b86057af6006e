interface Claim {
  readonly bytes: number
  readonly grant: () => void
}

/**
 * Memory shared by all agents' requests. A request that doesn't fit waits in line, and gets all it needs or nothing.
 */
export class BodyMemory {
  #free: number
  readonly #waiting: Claim[] = []

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Resolves to a release function, which may be called repeatedly. Undefined if the signal came first. */
  async reserve(bytes: number, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#waiting.length === 0 && bytes <= this.#free) this.#free -= bytes
    else if (!(await this.#wait(bytes, signal))) return undefined
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#free += bytes
      this.#serve()
    }
  }

  #wait(bytes: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const claim: Claim = {
        bytes,
        grant: () => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        },
      }
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(claim), 1)
        resolve(false)
        // It may have blocked smaller ones behind it.
        this.#serve()
      }
      this.#waiting.push(claim)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** In order, so that a large one doesn't starve. */
  #serve(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#free -= next.bytes
      next.grant()
    }
  }
}

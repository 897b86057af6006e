interface Waiter {
  readonly sharer: string
  readonly enter: () => void
}

/** Limits concurrency as a whole and for each sharer. Of those who wait, the one with the fewest inside is next. */
export class SharedGate {
  #room: number
  readonly #roomForEach: number
  readonly #inside = new Map<string, number>()
  readonly #waiting: Waiter[] = []

  constructor(room: number, roomForEach: number) {
    this.#room = room
    this.#roomForEach = roomForEach
  }

  /** Resolves to a release function, which may be called repeatedly. Undefined if the signal came first. */
  async enter(sharer: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#hasRoomFor(sharer)) this.#take(sharer)
    else if (!(await this.#wait(sharer, signal))) return undefined
    let isInside = true
    return () => {
      if (isInside) this.#leave(sharer)
      isInside = false
    }
  }

  #insideOf(sharer: string): number {
    return this.#inside.get(sharer) ?? 0
  }

  #hasRoomFor(sharer: string): boolean {
    return this.#room > 0 && this.#insideOf(sharer) < this.#roomForEach
  }

  #take(sharer: string): void {
    this.#room -= 1
    this.#inside.set(sharer, this.#insideOf(sharer) + 1)
  }

  #leave(sharer: string): void {
    this.#room += 1
    const left = this.#insideOf(sharer) - 1
    if (left > 0) this.#inside.set(sharer, left)
    else this.#inside.delete(sharer)
    const next = this.#next()
    if (!next) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#take(next.sharer)
    next.enter()
  }

  /** Undefined if nobody who waits may enter. */
  #next(): Waiter | undefined {
    let best: Waiter | undefined
    for (const waiter of this.#waiting) {
      if (!this.#hasRoomFor(waiter.sharer)) continue
      if (!best || this.#insideOf(waiter.sharer) < this.#insideOf(best.sharer)) best = waiter
    }
    return best
  }

  #wait(sharer: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        resolve(false)
      }
      const waiter: Waiter = {
        sharer,
        enter: () => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        },
      }
      this.#waiting.push(waiter)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}

import { setTimeout as pause } from 'node:timers/promises'

/** Things that arrive one by one and are taken together. */
export class Arrivals<Item> {
  #items: Item[] = []
  #notify: (() => void) | undefined

  add(item: Item): void {
    this.#items.push(item)
    this.#notify?.()
  }

  takeAll(): Item[] {
    return this.#items.splice(0)
  }

  /** Until something is there, or the patience is over. Then waits a little for more, unless all that can come are there. */
  async some(
    expected: number,
    { patienceMs, gatherMs }: { patienceMs: number; gatherMs: number },
  ): Promise<void> {
    if (this.#items.length === 0) {
      const late = new AbortController()
      const arrival = new Promise<void>((resolve) => void (this.#notify = resolve))
      const patience = pause(patienceMs, undefined, { signal: late.signal }).catch(() => undefined)
      await Promise.race([arrival, patience])
      late.abort()
      this.#notify = undefined
    }
    if (this.#items.length > 0 && this.#items.length < expected) await pause(gatherMs)
  }
}

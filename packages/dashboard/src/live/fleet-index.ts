import type { FleetChange, FleetEntry } from '@skein/client'
import { toFleetItem, type FleetItem } from './fleet-item.ts'

/**
 * What is known of a fleet, from the pages of a list and from the changes that come in meanwhile. A page may be older
 * than a change that was faster, so what a change said is never overwritten by a page.
 */
export class FleetIndex {
  readonly #items = new Map<string, FleetItem>()
  /** Keys that this listing has met, in a page or in a change; undefined when none is under way. */
  #met: Set<string> | undefined
  #changed = new Set<string>()

  get size(): number {
    return this.#items.size
  }

  items(): readonly FleetItem[] {
    return [...this.#items.values()]
  }

  beginListing(): void {
    this.#met = new Set()
    this.#changed = new Set()
  }

  addPage(entries: readonly FleetEntry[]): void {
    for (const entry of entries) {
      const item = toFleetItem(entry)
      this.#met?.add(item.key)
      if (!this.#changed.has(item.key)) this.#items.set(item.key, item)
    }
  }

  /** Whatever was there before and was not met again has gone while nobody watched. */
  endListing(): void {
    if (this.#met === undefined) return
    for (const key of this.#items.keys()) if (!this.#met.has(key)) this.#items.delete(key)
    this.#met = undefined
    this.#changed = new Set()
  }

  apply({ entry, isListed }: FleetChange): void {
    const item = toFleetItem(entry)
    if (this.#met !== undefined) {
      this.#met.add(item.key)
      this.#changed.add(item.key)
    }
    if (isListed) this.#items.set(item.key, item)
    else this.#items.delete(item.key)
  }
}

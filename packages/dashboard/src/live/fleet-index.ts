import type { FleetChange, FleetEntry } from '@skein/client'
import { toFleetItem, type FleetItem } from './fleet-item.ts'

/**
 * A fleet, from the pages of a list and the changes that arrive meanwhile. A page may be older than a change, so it
 * never overwrites one.
 */
export class FleetIndex {
  readonly #items = new Map<string, FleetItem>()
  /** Keys seen in this listing, in a page or a change; undefined if none is in progress. */
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

  /** Removes what was not seen again: it is gone. */
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

/** Chance that can be repeated: the same seed gives the same choices (mulberry32). */
export class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1)
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  percent(chance: number): boolean {
    return this.below(100) < chance
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0]
  }

  /** Undefined when there is nothing to choose from. */
  any<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(Math.max(items.length, 1))]
  }

  some<Item>(items: readonly Item[], chance: number): Item[] {
    return items.filter(() => this.percent(chance))
  }
}

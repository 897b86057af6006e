/**
 * Reuses the elements of rows that scrolled out of sight. After a jump, a new order or another filter all rows
 * change, and updating an element takes a fraction of the time of creating one.
 */
export class RowSlots {
  #slots: ReadonlyMap<string, number> = new Map()
  #count = 0

  /** The slot of each row, in order. A row that stays keeps its slot, so that no element moves. */
  assign(keys: readonly string[], focused: string | undefined): readonly number[] {
    const isAnyStaying = keys.some((key) => this.#slots.has(key))
    // The focus belongs to its row and must not appear on another.
    const free = isAnyStaying ? [] : [...this.#slots].flatMap(([key, slot]) => (key === focused ? [] : slot))
    const assigned = keys.map((key) => this.#slots.get(key) ?? free.shift() ?? this.#count++)
    this.#slots = new Map(keys.map((key, index) => [key, assigned[index] ?? 0]))
    return assigned
  }
}

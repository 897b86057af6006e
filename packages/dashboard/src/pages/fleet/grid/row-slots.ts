/**
 * Lends the elements of rows that went out of sight to those that came in their place: after a jump, a new order or
 * another filter all of them are others, and to fill in an element takes a fraction of the time of making one.
 */
export class RowSlots {
  #slots: ReadonlyMap<string, number> = new Map()
  #count = 0

  /** The element of each row, in their order. A row that stays keeps its own, so that none has to move. */
  assign(keys: readonly string[], focused: string | undefined): readonly number[] {
    const isAnyStaying = keys.some((key) => this.#slots.has(key))
    // The focus goes with the row that has it and must not appear on another.
    const free = isAnyStaying ? [] : [...this.#slots].flatMap(([key, slot]) => (key === focused ? [] : slot))
    const assigned = keys.map((key) => this.#slots.get(key) ?? free.shift() ?? this.#count++)
    this.#slots = new Map(keys.map((key, index) => [key, assigned[index] ?? 0]))
    return assigned
  }
}

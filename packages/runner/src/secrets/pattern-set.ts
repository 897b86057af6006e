export interface Span {
  readonly start: number
  readonly end: number
}

/** Number of bytes that determine how far to skip. */
const BLOCK = 3
const TABLE_BITS = 16

/**
 * Finds many patterns at once (Wu and Manber). Most positions of a text are skipped, so the number of patterns
 * hardly matters. Every pattern has at least `BLOCK` bytes.
 */
export class PatternSet {
  readonly longest: number
  readonly #shortest: number
  /** By the block that ends `#shortest` bytes from here: the number of positions where no pattern can start. */
  readonly #shifts: Uint8Array
  /** Where the shift is 0: the patterns that may start here. */
  readonly #candidates = new Map<number, Buffer[]>()

  constructor(patterns: readonly Buffer[]) {
    const lengths = patterns.map(({ length }) => length)
    this.longest = Math.max(0, ...lengths)
    this.#shortest = Math.min(64, ...lengths)
    const farthest = this.#shortest - BLOCK + 1
    this.#shifts = new Uint8Array(1 << TABLE_BITS).fill(farthest)
    for (const pattern of patterns) {
      for (let end = BLOCK; end <= this.#shortest; end += 1) {
        const key = keyAt(pattern, end - BLOCK)
        this.#shifts[key] = Math.min(this.#shifts[key] ?? 0, this.#shortest - end)
      }
      const key = keyAt(pattern, this.#shortest - BLOCK)
      this.#candidates.set(key, [...(this.#candidates.get(key) ?? []), pattern])
    }
  }

  /** Merged where they overlap, in order. */
  find(text: Buffer): Span[] {
    const spans: { start: number; end: number }[] = []
    if (this.#candidates.size === 0) return spans
    for (let at = 0; at + this.#shortest <= text.length;) {
      const key = keyAt(text, at + this.#shortest - BLOCK)
      const shift = this.#shifts[key] ?? 0
      const end = shift === 0 ? this.#matchEnd(text, at, key) : 0
      const last = spans.at(-1)
      if (end > 0 && last && at < last.end) last.end = Math.max(last.end, end)
      else if (end > 0) spans.push({ start: at, end })
      at += Math.max(1, shift)
    }
    return spans
  }

  #matchEnd(text: Buffer, at: number, key: number): number {
    let end = 0
    for (const pattern of this.#candidates.get(key) ?? []) {
      const patternEnd = at + pattern.length
      if (
        patternEnd > end &&
        patternEnd <= text.length &&
        text.compare(pattern, 0, pattern.length, at, patternEnd) === 0
      )
        end = patternEnd
    }
    return end
  }
}

function keyAt(bytes: Buffer, at: number): number {
  const block = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
  return (Math.imul(block, 0x9e3779b1) >>> (32 - TABLE_BITS)) & ((1 << TABLE_BITS) - 1)
}

const NEWLINE = 0x0a

/** Splits bytes that arrive in arbitrary chunks into lines. */
export class LineSplitter {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines these bytes complete. Throws if a line is too long. */
  *split(chunk: Buffer): Iterable<string> {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end))
      start = end + 1
      // Decoded as a whole, because a character may span two chunks.
      const line = Buffer.concat(this.#pieces, this.#bytes).toString('utf8')
      this.#pieces = []
      this.#bytes = 0
      yield line
    }
    this.#add(chunk.subarray(start))
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > this.#maxBytes) throw new Error(`A line is longer than ${this.#maxBytes} bytes`)
    if (piece.length > 0) this.#pieces.push(piece)
  }
}

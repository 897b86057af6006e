const NEWLINE = 0x0a

/** Makes lines of bytes that come in any pieces: a line in many of them, many lines in one. */
export class LineSplitter {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that these bytes complete. Throws when a line does not end in time. */
  *split(chunk: Buffer): Iterable<string> {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end))
      start = end + 1
      // Decoded as a whole, because a character may have come in two pieces.
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

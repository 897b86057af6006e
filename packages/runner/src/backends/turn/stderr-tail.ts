import type { Readable } from 'node:stream'

const KEPT_CHARACTERS = 4_000

/** The last output of a program, to help find out why it ended. */
export class StderrTail {
  #text = ''

  constructor(stderr: Readable) {
    stderr.setEncoding('utf8')
    stderr.on('error', () => undefined)
    stderr.on('data', (chunk: string) => {
      this.#text += chunk
      if (this.#text.length <= KEPT_CHARACTERS) return
      // Starts at a line: half of a secret would not be recognised.
      const tail = this.#text.slice(-KEPT_CHARACTERS)
      this.#text = tail.slice(tail.indexOf('\n') + 1)
    })
  }

  /** At most this many lines. */
  lastLines(count = 10): string {
    return this.#text.trim().split('\n').slice(-count).join('\n')
  }
}

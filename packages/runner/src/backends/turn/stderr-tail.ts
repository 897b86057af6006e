import type { Readable } from 'node:stream'

const KEPT_CHARACTERS = 4_000

/** The last words of a program, for whoever has to find out why it ended. */
export class StderrTail {
  #text = ''

  constructor(stderr: Readable) {
    stderr.setEncoding('utf8')
    stderr.on('error', () => undefined)
    stderr.on('data', (chunk: string) => {
      this.#text = (this.#text + chunk).slice(-KEPT_CHARACTERS)
    })
  }

  /** At most so many of the last lines. */
  lastLines(count = 10): string {
    return this.#text.trim().split('\n').slice(-count).join('\n')
  }
}

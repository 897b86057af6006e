/** One line for each thing that is ready, with the time it took. */
export class Progress {
  readonly #note: (text: string) => void
  readonly #startedAt = performance.now()

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  async step<T>(what: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const value = await work()
    this.#note(`${what} ready in ${formatSeconds(performance.now() - startedAt)}`)
    return value
  }

  warn(text: string): void {
    this.#note(`Note: ${text}`)
  }

  total(): string {
    return formatSeconds(performance.now() - this.#startedAt)
  }
}

function formatSeconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`
}

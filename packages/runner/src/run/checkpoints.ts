/**
 * Saves periodically while something is going on, never twice at once and not so often that saving becomes the main
 * work. The last change is saved too, even if nothing follows it.
 */
export class Checkpoints {
  readonly #save: () => Promise<void>
  readonly #everyMs: number
  #saving: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs: number
  #isDue = false
  #isStopped = false

  constructor(save: () => Promise<void>, { everyMs }: { everyMs: number }) {
    this.#save = save
    this.#everyMs = everyMs
    this.#pauseMs = everyMs
  }

  /** Something worth saving has happened. */
  touch(): void {
    this.#isDue = true
    if (this.#saving || this.#isStopped) return
    this.#timer ??= setTimeout(() => this.#begin(), this.#pauseMs)
  }

  /** Stops saving. Resolves when no save is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#saving
  }

  #begin(): void {
    this.#timer = undefined
    this.#isDue = false
    const beganAt = performance.now()
    this.#saving = this.#save().finally(() => {
      this.#saving = undefined
      this.#pauseMs = Math.max(this.#everyMs, 5 * (performance.now() - beganAt))
      if (this.#isDue) this.touch()
    })
  }
}

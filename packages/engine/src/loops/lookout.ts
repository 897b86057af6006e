import type { EngineEvents, AutomationKind } from '../engine-events.ts'

export interface LookoutOptions {
  /** As metrics call it. Without one they don't show when it last looked. */
  readonly kind?: AutomationKind | undefined
  readonly everyMs: number
  /** Whether the time counts from the end of a look: looks that take long leave the database a pause. */
  readonly rests?: boolean | undefined
  readonly events: EngineEvents
  readonly onError: (error: unknown) => void
}

/** Looks for work again and again, and at once when told to. One look at a time: if told meanwhile, it looks once more. */
export class Lookout {
  readonly #lookOnce: () => Promise<void>
  readonly #options: LookoutOptions
  #isStarted = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isWanted = false

  constructor(lookOnce: () => Promise<void>, options: LookoutOptions) {
    this.#lookOnce = lookOnce
    this.#options = options
  }

  start(): void {
    this.#isStarted = true
    this.#wait(this.#options.everyMs)
  }

  /** Waits for the look in progress. */
  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    await this.#looking
  }

  /** Does nothing before the start and after the stop. */
  look(): void {
    if (!this.#isStarted) return
    if (this.#looking) {
      this.#isWanted = true
      return
    }
    this.#isWanted = false
    clearTimeout(this.#timer)
    const { kind, everyMs, rests = false, events, onError } = this.#options
    const startedAt = performance.now()
    this.#looking = this.#lookOnce()
      .then(() => {
        if (kind) events.emit({ type: 'automations-looked', kind })
      })
      .catch(onError)
      .finally(() => {
        this.#looking = undefined
        if (this.#isWanted) this.look()
        else if (this.#isStarted)
          // Node warns of negative times, which a look that took longer than that would give.
          this.#wait(Math.max(0, everyMs - (rests ? 0 : performance.now() - startedAt)))
      })
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.look(), ms)
  }
}

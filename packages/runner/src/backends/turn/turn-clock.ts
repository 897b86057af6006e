import type { TurnError, TurnLimits } from '../backend.ts'

/** What Node's timers can count to; a longer delay would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

/** Watches the limits of one turn. Says once that one was reached. */
export class TurnClock {
  readonly #timers: NodeJS.Timeout[] = []
  readonly #idle: NodeJS.Timeout | undefined

  constructor({ wallMs, idleMs }: TurnLimits, onLimit: (error: TurnError) => void) {
    const watch = (delayMs: number, message: string): NodeJS.Timeout | undefined => {
      if (delayMs <= 0) return undefined
      const reach = (): void => {
        this.stop()
        onLimit({ kind: 'timeout', message })
      }
      const timer = setTimeout(reach, Math.min(delayMs, LONGEST_DELAY_MS))
      this.#timers.push(timer)
      return timer
    }
    watch(wallMs, `The turn took longer than ${wallMs / 1000} s`)
    this.#idle = watch(idleMs, `The program showed no progress for ${idleMs / 1000} s`)
  }

  /** The program has given a sign of life. */
  touch(): void {
    // A timer that was stopped would start again.
    if (this.#timers.length > 0) this.#idle?.refresh()
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }
}

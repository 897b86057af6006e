import type { TurnError, TurnLimits } from '../backend.ts'

/** The maximum of Node's timers. A longer delay would fire immediately. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

/** Watches the limits of one turn, and reports at most one. */
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

  /** The program showed a sign of life. */
  touch(): void {
    // Refreshing a stopped timer would restart it.
    if (this.#timers.length > 0) this.#idle?.refresh()
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }
}

import { SkeinError } from '@skein/contract'

export interface MutexLimits {
  /** Maximum wait for the mutex. */
  readonly maxWaitMs: number
  /** Maximum number waiting per key, not counting urgent ones. */
  readonly maxWaiting: number
}

interface Line {
  readonly urgent: (() => void)[]
  readonly others: (() => void)[]
}

/**
 * One holder at a time per key, in order, urgent ones first. Claims of one tenant and commands on one tree are
 * serialized anyway. Waiting here is free, while waiting in the database would hold a connection others need.
 */
export class KeyedMutex {
  readonly #limits: MutexLimits
  readonly #lines = new Map<string, Line>()

  constructor(limits: MutexLimits) {
    this.#limits = limits
  }

  async take<Result>(key: string, work: () => Promise<Result>, { isUrgent = false } = {}): Promise<Result> {
    const line = this.#lines.get(key)
    if (line) await this.#wait(line, isUrgent)
    else this.#lines.set(key, { urgent: [], others: [] })
    try {
      return await work()
    } finally {
      this.#passOn(key)
    }
  }

  #wait(line: Line, isUrgent: boolean): Promise<void> {
    const waiting = isUrgent ? line.urgent : line.others
    if (!isUrgent && waiting.length >= this.#limits.maxWaiting) throw busy()
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(proceed), 1)
        reject(busy())
      }, this.#limits.maxWaitMs)
      waiting.push(proceed)
    })
  }

  #passOn(key: string): void {
    const line = this.#lines.get(key)
    const proceed = line?.urgent.shift() ?? line?.others.shift()
    if (proceed) proceed()
    else this.#lines.delete(key)
  }
}

function busy(): SkeinError {
  return new SkeinError('TREE_BUSY', { retryDelayMs: 2_000 })
}

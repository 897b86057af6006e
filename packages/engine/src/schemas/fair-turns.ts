import { SkeinError } from '@skein/contract'
import { FairQueue } from './fair-queue.ts'

const BOUNDS = { perTenant: 32, total: 1_000 }
const RETRY_DELAY_MS = 1_000

/** One piece of work at a time, with tenants taking turns. */
export class FairTurns {
  readonly #subject: string
  readonly #queue = new FairQueue<() => Promise<void>>(BOUNDS)
  #isBusy = false
  #isClosed = false

  /** The subject is what waits, for error messages. */
  constructor(subject: string) {
    this.#subject = subject
  }

  take<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#queue.isFullFor(tenantId)) {
      throw new SkeinError('RATE_LIMITED', {
        message: `Too many ${this.#subject} of this tenant are waiting to be checked.`,
        retryDelayMs: RETRY_DELAY_MS,
      })
    }
    if (this.#queue.isFull) {
      throw new SkeinError('SERVER_OVERLOADED', {
        message: `The server is too busy to check ${this.#subject}.`,
        retryDelayMs: RETRY_DELAY_MS,
      })
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#queue.add(tenantId, () => this.#start(work).then(resolve, reject))
    void this.#workOff()
    return promise
  }

  /** Those still waiting get SERVER_STOPPING. */
  close(): void {
    this.#isClosed = true
  }

  #start<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new SkeinError('SERVER_STOPPING'))
    return work()
  }

  async #workOff(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let next = this.#queue.takeNext(); next; next = this.#queue.takeNext()) await next()
    this.#isBusy = false
  }
}

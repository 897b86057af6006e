import { SkeinError } from '@skein/contract'
import { ConnectionShares, type Asker, type Share } from './connection-shares.ts'

export interface QueueLimits {
  /** Maximum wait. Shorter than any client's timeout, so that the client gets the reason. */
  readonly maxWaitMs: number
  /** Maximum number waiting per tenant. */
  readonly maxWaiting: number
}

interface Waiter extends Asker {
  readonly proceed: (share: Share) => void
}

/** Requests waiting for a connection. Each tenant has a queue of its own, plus one for urgent requests. */
export class ConnectionQueue {
  readonly #shares: ConnectionShares
  readonly #limits: QueueLimits
  readonly #lines = new Map<string, Waiter[]>()
  #waiting = 0

  constructor(total: number, limits: QueueLimits) {
    this.#shares = new ConnectionShares(total)
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  get shares(): ConnectionShares['usage'] {
    return this.#shares.usage
  }

  /** Runs the work while holding a connection. */
  async use<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result> {
    const share = (this.#hasLine(asker) ? undefined : this.#shares.take(asker)) ?? (await this.#wait(asker))
    try {
      return await work()
    } finally {
      share.giveBack(asker.tenant)
      this.#admit()
    }
  }

  #hasLine(asker: Asker): boolean {
    return this.#lines.has(nameOf(asker))
  }

  #wait(asker: Asker): Promise<Share> {
    const line = this.#lines.get(nameOf(asker)) ?? []
    if (line.length >= this.#limits.maxWaiting) throw tooBusy()
    this.#lines.set(nameOf(asker), line)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...asker,
        proceed: (share) => {
          clearTimeout(timer)
          resolve(share)
        },
      }
      const timer = setTimeout(() => {
        this.#remove(waiter)
        reject(tooBusy())
      }, this.#limits.maxWaitMs)
      line.push(waiter)
      this.#waiting += 1
    })
  }

  #admit(): void {
    for (;;) {
      const waiter = this.#shares.next(this.#firsts())
      const share = waiter && this.#shares.take(waiter)
      if (!share) return
      this.#remove(waiter)
      waiter.proceed(share)
    }
  }

  *#firsts(): Generator<Waiter> {
    for (const [first] of this.#lines.values()) if (first) yield first
  }

  #remove(waiter: Waiter): void {
    const name = nameOf(waiter)
    const line = this.#lines.get(name) ?? []
    line.splice(line.indexOf(waiter), 1)
    this.#waiting -= 1
    // Moves the queue to the end: between two tenants holding equally many, the one not served last is next.
    this.#lines.delete(name)
    if (line.length > 0) this.#lines.set(name, line)
  }
}

function nameOf({ tenant, isUrgent }: Asker): string {
  return isUrgent ? `!${tenant}` : tenant
}

function tooBusy(): SkeinError {
  return new SkeinError('SERVER_OVERLOADED', {
    message:
      'Too many requests from your tenant are waiting for the database. Nothing was changed: ' +
      'wait as long as RetryInfo says, then send this one again with the same Idempotency-Key.',
    retryDelayMs: 1_000,
  })
}

import type { WantedWork, Transaction } from '@skein/store'
import type { EngineEvent } from '../engine-events.ts'
import type { EngineResources } from '../resources.ts'
import { Lookout, type LookoutOptions } from './lookout.ts'
import type { TenantWorkers } from './tenant-workers.ts'

/** How a server does what it has taken. */
export interface Turn {
  /** Aborted when the server stops: what was begun is finished, nothing is begun. */
  readonly signal: AbortSignal
  /** Before it was taken, on the clock of `performance.now()`. */
  readonly takenAt: number
}

interface Job {
  readonly tenantId: string
  run(turn: Turn): Promise<void>
}

/** Takes due work of one kind, so that no other server has it for a while. */
export type WorkSource = (
  transaction: Transaction,
  room: Pick<WantedWork, 'amount' | 'busyTenants'>,
) => Promise<readonly Job[]>

export function workSource<Held extends { readonly tenantId: string }>(
  take: (transaction: Transaction, wanted: WantedWork) => Promise<readonly Held[]>,
  holdMs: number,
  work: (held: Held, turn: Turn) => Promise<void>,
): WorkSource {
  return async (transaction, room) => {
    const found = await take(transaction, { ...room, holdMs })
    return found.map((held) => ({ tenantId: held.tenantId, run: (turn) => work(held, turn) }))
  }
}

export interface TenantLoopOptions extends Omit<LookoutOptions, 'events' | 'onError'> {
  readonly workers: TenantWorkers
  /** Those before have priority. */
  readonly sources: readonly WorkSource[]
  /** What to do before each look. */
  readonly first?: () => Promise<void>
  /** Look at once when this happens on the same server. */
  readonly wakeOn?: EngineEvent['type']
  /** Whether something may be due because of what has just ended. */
  readonly looksAfterEach?: boolean
}

/** Does due work of all tenants. Every server does it; what one holds, the others leave alone until its time is over. */
export class TenantLoop {
  readonly #engine: EngineResources
  readonly #options: TenantLoopOptions
  readonly #onError: (error: unknown) => void
  readonly #lookout: Lookout
  readonly #stopping = new AbortController()
  #unsubscribe: (() => void) | undefined

  constructor(engine: EngineResources, options: TenantLoopOptions, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#options = options
    this.#onError = onError
    const { kind, everyMs } = options
    this.#lookout = new Lookout(() => this.#lookOnce(), { kind, everyMs, events: engine.events, onError })
  }

  start(): void {
    this.#unsubscribe = this.#engine.events.subscribe(({ type }) => {
      if (type === this.#options.wakeOn) this.look()
    })
    this.#lookout.start()
  }

  /** What was begun is finished. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe?.()
    await this.#lookout.stop()
    await this.#options.workers.allDone()
  }

  /** At once, or after the look in progress. */
  look(): void {
    this.#lookout.look()
  }

  /** For tests: everything that is due now. */
  async runDue(): Promise<void> {
    const { workers } = this.#options
    while ((await this.#takeAll()) > 0 || !workers.isIdle) await workers.allDone()
  }

  async #lookOnce(): Promise<void> {
    await this.#options.first?.()
    await this.#takeAll()
  }

  async #takeAll(): Promise<number> {
    let total = 0
    for (const source of this.#options.sources) total += await this.#takeFrom(source)
    return total
  }

  async #takeFrom(source: WorkSource): Promise<number> {
    const { workers, looksAfterEach = false } = this.#options
    const { signal } = this.#stopping
    const amount = workers.roomAtOnce
    if (amount <= 0 || signal.aborted) return 0
    const takenAt = performance.now()
    const jobs = await this.#engine.database.statement((transaction) =>
      source(transaction, { amount, busyTenants: workers.busyTenants }),
    )
    for (const job of jobs) {
      const work = job.run({ signal, takenAt }).catch(this.#onError)
      workers.add(job.tenantId, work, (wasFull) => (wasFull || looksAfterEach) && this.look())
    }
    // As many as wanted: there may be more.
    return jobs.length < amount ? jobs.length : amount + (await this.#takeFrom(source))
  }
}

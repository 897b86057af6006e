import { setTimeout as pause } from 'node:timers/promises'
import { poolsWithRetries, takeDueTimers, takeExpiredLeases, type DueTimer } from '@skein/store'
import { deliverDeferred } from '../follow-ups/deliver-deferred.ts'
import type { EngineResources } from '../resources.ts'
import { loseAttempt } from './lose-attempt.ts'

const INTERVAL_MS = 500
const PATIENCE_MS = 2_000
const MAX_SWEEPS = 8
const BATCH = 200

/**
 * Delivers due messages and gives up runs of silent runners. Every server has one. What one takes up, the others
 * leave alone for a while, and doing something twice has no effect.
 */
export class Sweeper {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #sweeps = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
  }

  /** The next sweep doesn't wait indefinitely for one blocked by a locked tree: others have messages due as well. */
  start(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      if (this.#sweeps.size >= MAX_SWEEPS) return this.start()
      const sweep = this.sweep()
        .then(() => this.#engine.events.emit({ type: 'swept' }))
        .catch((error: unknown) => this.#fail(error))
        .finally(() => this.#sweeps.delete(sweep))
      this.#sweeps.add(sweep)
      const late = new AbortController()
      void Promise.race([sweep, pause(PATIENCE_MS, undefined, late).catch(() => {})]).then(() => {
        late.abort()
        this.start()
      })
    }, INTERVAL_MS)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.all(this.#sweeps)
  }

  async sweep(): Promise<void> {
    const [timers, leases] = await Promise.all([this.#deliverDue(), this.#loseExpired()])
    await this.#wakeForRetries()
    // A full batch means there is more: continue immediately.
    if (timers === BATCH || leases === BATCH) await this.sweep()
  }

  async #deliverDue(): Promise<number> {
    const { database, clock } = this.#engine
    const timers = await database.urgent.statement((transaction) =>
      takeDueTimers(transaction, BATCH, clock.now()),
    )
    const byAgent = Map.groupBy(timers, ({ tenantId, agentKey }) => `${tenantId}/${agentKey}`)
    await this.#each([...byAgent.values()], (due) => this.#deliverInOrder(due))
    return timers.length
  }

  async #loseExpired(): Promise<number> {
    const { database, leaseMs } = this.#engine
    const leases = await database.urgent.statement((transaction) =>
      takeExpiredLeases(transaction, BATCH, leaseMs),
    )
    if (leases.length > 0) this.#engine.events.emit({ type: 'leases-expired', amount: leases.length })
    await this.#each(leases, (run) => loseAttempt(this.#engine, run))
    return leases.length
  }

  /** One failure must not block the others. A later sweep takes it up again. */
  async #each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const outcomes = await Promise.allSettled(items.map(work))
    for (const outcome of outcomes) if (outcome.status === 'rejected') this.#fail(outcome.reason)
  }

  #fail(error: unknown): void {
    this.#engine.events.emit({ type: 'sweep-failed' })
    this.#onError(error)
  }

  /** Looks back a little more than two sweeps. */
  async #wakeForRetries(): Promise<void> {
    const since = this.#engine.clock.now() - 4 * INTERVAL_MS
    const pools = await this.#engine.database.urgent.statement((transaction) =>
      poolsWithRetries(transaction, since),
    )
    for (const { tenantId, pool } of pools) this.#engine.wakeups.wakePool(tenantId, pool)
  }

  /** Messages to one agent are queued in order of their times, even after a downtime. */
  async #deliverInOrder(timers: readonly DueTimer[]): Promise<void> {
    for (const timer of timers) await deliverDeferred(this.#engine, timer)
  }
}

import { takeDueTriggers, TriggerStore, type HeldTrigger } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { applyNext, HOLD_MS } from './apply-delivery.ts'

const TICK_MS = 500
const MAX_WORKERS = 32
/** So that a tenant with many deliveries leaves room for others. */
const MAX_WORKERS_OF_TENANT = 4
/** After this, other triggers get their turn. */
const MAX_TURN_MS = 20_000

/** Applies what triggers received. Every server does it; what one holds, the others leave alone until its time is over. */
export class TriggerLoops {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #workers = new Map<Promise<void>, string>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #tick: Promise<void> | undefined
  #isTickWanted = false
  #isStopped = false

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
  }

  start(): void {
    this.#unsubscribe = this.#engine.events.subscribe(({ type }) => {
      if (type === 'trigger-received') this.#look()
    })
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  /** What was begun is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe?.()
    clearInterval(this.#timer)
    await this.#tick
    await Promise.all(this.#workers.keys())
  }

  /** Applies what is due now. */
  async applyDue(): Promise<void> {
    await this.#lookOnce()
    await Promise.all(this.#workers.keys())
  }

  #look(): void {
    if (this.#isStopped) return
    if (this.#tick) {
      this.#isTickWanted = true
      return
    }
    this.#isTickWanted = false
    this.#tick = this.#lookOnce()
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        this.#tick = undefined
        if (this.#isTickWanted) this.#look()
      })
  }

  async #lookOnce(): Promise<void> {
    const amount = MAX_WORKERS - this.#workers.size
    if (amount <= 0) return
    const wanted = { amount, holdMs: HOLD_MS, busy: this.#busyTenants() }
    const held = await this.#engine.database.statement((transaction) => takeDueTriggers(transaction, wanted))
    for (const trigger of held) {
      const worker = this.#work(trigger)
        .catch((error: unknown) => this.#onError(error))
        .finally(() => this.#workers.delete(worker))
      this.#workers.set(worker, trigger.tenantId)
    }
  }

  async #work(held: HeldTrigger): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS
    let notBefore = 0
    while (!this.#isStopped && performance.now() < turnEnds) {
      const applied = await applyNext(this.#engine, held)
      if (applied === 'lost') return
      if (applied === 'nothing') break
      if (applied !== 'applied') {
        notBefore = applied.retryAt
        break
      }
    }
    await this.#engine.database.forTenant(held.tenantId, (transaction) =>
      new TriggerStore(transaction).release(held, notBefore),
    )
  }

  #busyTenants(): string[] {
    const counts = Map.groupBy(this.#workers.values(), (tenantId) => tenantId)
    return [...counts].flatMap(([tenantId, { length }]) => (length < MAX_WORKERS_OF_TENANT ? [] : [tenantId]))
  }
}

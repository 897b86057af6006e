import { takeDueTriggers, TriggerStore, type HeldTrigger } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { Lookout } from '../lookout.ts'
import { TenantWorkers } from '../tenant-workers.ts'
import { applyNext, HOLD_MS } from './apply-delivery.ts'

const LOOK_EVERY_MS = 500
const MAX_WORKERS = 32
/** So that a tenant with many deliveries leaves room for others. */
const MAX_WORKERS_OF_TENANT = 4
/** After this, other triggers get their turn. */
const MAX_TURN_MS = 20_000

/** Applies what triggers received. Every server does it; what one holds, the others leave alone until its time is over. */
export class TriggerLoops {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #workers = new TenantWorkers(MAX_WORKERS, MAX_WORKERS_OF_TENANT)
  readonly #lookout: Lookout
  #unsubscribe: (() => void) | undefined
  #isStopped = false

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
    this.#lookout = new Lookout(() => this.#look(), {
      kind: 'triggers',
      everyMs: LOOK_EVERY_MS,
      events: engine.events,
      onError,
    })
  }

  start(): void {
    this.#unsubscribe = this.#engine.events.subscribe(({ type }) => {
      if (type === 'trigger-received') this.#lookout.look()
    })
    this.#lookout.start()
  }

  /** What was begun is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe?.()
    await this.#lookout.stop()
    await this.#workers.allDone()
  }

  /** Applies what is due now. */
  async applyDue(): Promise<void> {
    await this.#look()
    await this.#workers.allDone()
  }

  async #look(): Promise<void> {
    while (await this.#takeDue());
  }

  /** Whether there may be more. */
  async #takeDue(): Promise<boolean> {
    const amount = this.#workers.roomAtOnce
    if (amount <= 0 || this.#isStopped) return false
    const wanted = { amount, holdMs: HOLD_MS, busy: this.#workers.busyTenants }
    const held = await this.#engine.database.statement((transaction) => takeDueTriggers(transaction, wanted))
    for (const trigger of held) {
      const work = this.#work(trigger).catch(this.#onError)
      this.#workers.add(trigger.tenantId, work, (wasFull) => wasFull && this.#lookout.look())
    }
    return held.length === amount
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
}

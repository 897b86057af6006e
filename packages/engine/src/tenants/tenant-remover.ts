import { delayDeletion, takeClosedTenant } from '@skein/store'
import { Lookout } from '../loops/lookout.ts'
import type { EngineResources } from '../resources.ts'
import { removeTenant, type RemovalStep } from './remove-tenant.ts'

const LOOK_EVERY_MS = 1_000
/** Longer than a step waits for the database. If a server dies, another one goes on after this. */
const HOLD_MS = 60_000
/** Servers reject a revoked key within 5 seconds; a request may take a few more. */
const SETTLE_MS = 15_000
/** A server stops a step here, so that its hold is not over. */
const MAX_STEP_MS = 20_000

/** How soon the next step follows. Runners look once an hour, so there is no hurry. */
const DELAYS_MS: Readonly<Record<Exclude<RemovalStep['state'], 'deleted'>, number>> = {
  settling: 2_000,
  killed: 0,
  held: 60_000,
  removed: 0,
}

/** Deletes the tenants that operators closed over HTTP, one at a time. Every server has one. */
export class TenantRemover {
  readonly #engine: EngineResources
  readonly #lookout: Lookout
  readonly #onError: (error: unknown) => void
  #isStopped = false

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
    this.#lookout = new Lookout(() => this.#look(), {
      kind: 'tenants',
      everyMs: LOOK_EVERY_MS,
      events: engine.events,
      onError,
    })
  }

  start(): void {
    this.#lookout.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#lookout.stop()
  }

  async #look(): Promise<void> {
    if (await this.step()) this.#lookout.look()
  }

  /** Whether there was one to work on. */
  async step(settleMs = SETTLE_MS): Promise<boolean> {
    const { database } = this.#engine
    const closed = await database.statement((transaction) => takeClosedTenant(transaction, HOLD_MS))
    if (!closed) return false
    const ends = performance.now() + MAX_STEP_MS
    const isStopped = () => this.#isStopped || performance.now() > ends
    const options = { settleMs, isStopped, onError: this.#onError }
    const { state } = await removeTenant(this.#engine, closed, options)
    if (state !== 'deleted') {
      await database.statement((transaction) => delayDeletion(transaction, closed.id, DELAYS_MS[state]))
    }
    return true
  }
}

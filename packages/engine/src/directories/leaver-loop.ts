import { takeDueLeavers } from '@skein/store'
import { Lookout } from '../automations/lookout.ts'
import { TenantWorkers } from '../automations/tenant-workers.ts'
import type { EngineResources } from '../resources.ts'
import { HOLD_MS, workOnLeaver } from './work-on-leaver.ts'

const LOOK_EVERY_MS = 500
/** People whose things a server ends at the same time, in all and of one tenant. */
const SLOTS = 8
const SLOTS_PER_TENANT = 4

/** Ends what belonged to people who left. Every server does it; what one holds, the others leave alone until its time is over. */
export class LeaverLoop {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #atWork = new TenantWorkers(SLOTS, SLOTS_PER_TENANT)
  readonly #lookout: Lookout

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
    this.#lookout = new Lookout(() => this.#look(), {
      kind: 'leavers',
      everyMs: LOOK_EVERY_MS,
      events: engine.events,
      onError,
    })
  }

  start(): void {
    this.#lookout.start()
  }

  async stop(): Promise<void> {
    await this.#lookout.stop()
    await this.#atWork.allDone()
  }

  async #look(): Promise<void> {
    const amount = this.#atWork.roomAtOnce
    if (amount <= 0) return
    const { database, clock } = this.#engine
    const { busyTenants } = this.#atWork
    const held = await database.statement((transaction) =>
      takeDueLeavers(transaction, { amount, holdMs: HOLD_MS, busyTenants, at: clock.now() }),
    )
    for (const leaver of held) {
      const work = workOnLeaver(this.#engine, leaver).catch(this.#onError)
      this.#atWork.add(leaver.tenantId, work, (wasFull) => wasFull && this.#lookout.look())
    }
  }
}

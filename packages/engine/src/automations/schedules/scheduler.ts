import { takeDueSchedules } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { Lookout } from '../lookout.ts'
import { TenantWorkers } from '../tenant-workers.ts'
import { HOLD_MS } from './advance-schedule.ts'
import { workOnSchedule } from './work-on-schedule.ts'

const LOOK_EVERY_MS = 250
/** Schedules that a server works on at the same time, in all and of one tenant. */
const SLOTS = 16
/** A tenant whose firings take long must not occupy the slots of the others. */
const SLOTS_PER_TENANT = 4

/** Fires schedules. Every server has one: what one has claimed, the others leave alone. */
export class Scheduler {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #atWork = new TenantWorkers(SLOTS, SLOTS_PER_TENANT)
  readonly #lookout: Lookout

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
    this.#lookout = new Lookout(() => this.#look(), {
      kind: 'schedules',
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

  /** For tests: everything that is due now. */
  async fireDue(): Promise<void> {
    while ((await this.#claim()) > 0 || !this.#atWork.isIdle) await this.#atWork.allDone()
  }

  /** A look that found something is followed by another one at once. */
  async #look(): Promise<void> {
    if ((await this.#claim()) > 0) this.#lookout.look()
  }

  async #claim(): Promise<number> {
    const amount = this.#atWork.room
    if (amount <= 0) return 0
    const claimed = await this.#engine.database.statement((transaction) =>
      takeDueSchedules(transaction, {
        amount,
        perTenant: SLOTS_PER_TENANT,
        busyTenants: this.#atWork.busyTenants,
        at: this.#engine.clock.now(),
        holdMs: HOLD_MS,
      }),
    )
    for (const schedule of claimed) {
      const work = workOnSchedule(this.#engine, schedule).catch(this.#onError)
      this.#atWork.add(schedule.tenantId, work, () => this.#lookout.look())
    }
    return claimed.length
  }
}

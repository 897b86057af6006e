import { takeDueSchedules, type ClaimedSchedule } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { HOLD_MS } from './advance-schedule.ts'
import { workOnSchedule } from './work-on-schedule.ts'

const INTERVAL_MS = 250
/** Schedules that a server works on at the same time, in all and of one tenant. */
const SLOTS = 16
const SLOTS_PER_TENANT = 4

/** Fires schedules. Every server has one: what one has claimed, the others leave alone. */
export class Scheduler {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #atWork = new Map<Promise<void>, string>()
  #timer: NodeJS.Timeout | undefined
  #look: Promise<number> | undefined
  #isStopped = false

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
  }

  start(): void {
    this.#timer = setInterval(() => this.#lookOn(), INTERVAL_MS)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#look
    await Promise.all(this.#atWork.keys())
  }

  /** For tests: everything that is due now. */
  async fireDue(): Promise<void> {
    while ((await this.#claim()) > 0 || this.#atWork.size > 0) await Promise.all(this.#atWork.keys())
  }

  /** A look that found something is followed by another one as soon as a slot is free. */
  #lookOn(): void {
    if (this.#timer === undefined || this.#isStopped || this.#look) return
    this.#look = this.#claim()
      .catch((error: unknown) => {
        this.#onError(error)
        return 0
      })
      .finally(() => (this.#look = undefined))
    void this.#look.then((claimed) => {
      if (claimed > 0) this.#lookOn()
    })
  }

  async #claim(): Promise<number> {
    const amount = SLOTS - this.#atWork.size
    if (amount <= 0) return 0
    const claimed = await this.#engine.database.statement((transaction) =>
      takeDueSchedules(transaction, {
        amount,
        perTenant: SLOTS_PER_TENANT,
        busyTenants: this.#busyTenants(),
        at: this.#engine.clock.now(),
        holdMs: HOLD_MS,
      }),
    )
    for (const schedule of claimed) this.#workOn(schedule)
    return claimed.length
  }

  #workOn(schedule: ClaimedSchedule): void {
    const work = workOnSchedule(this.#engine, schedule)
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        this.#atWork.delete(work)
        this.#lookOn()
      })
    this.#atWork.set(work, schedule.tenantId)
  }

  /** A tenant whose firings take long must not occupy the slots of the others. */
  #busyTenants(): string[] {
    const counts = new Map<string, number>()
    for (const tenantId of this.#atWork.values()) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    return [...counts].filter(([, amount]) => amount >= SLOTS_PER_TENANT).map(([tenantId]) => tenantId)
  }
}

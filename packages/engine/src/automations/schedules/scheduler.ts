import { takeDueSchedules } from '@skein/store'
import { TenantLoop, workSource } from '../../loops/tenant-loop.ts'
import { TenantWorkers } from '../../loops/tenant-workers.ts'
import type { EngineResources } from '../../resources.ts'
import { HOLD_MS } from './advance-schedule.ts'
import { workOnSchedule } from './work-on-schedule.ts'

const LOOK_EVERY_MS = 250
/** Schedules that a server works on at the same time, in all and of one tenant. */
const SLOTS = 16
/** A tenant whose firings take long must not occupy the slots of the others. */
const SLOTS_PER_TENANT = 4

/** Fires schedules. */
export class Scheduler extends TenantLoop {
  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    const fire = workSource(
      (transaction, wanted) =>
        takeDueSchedules(transaction, { ...wanted, perTenant: SLOTS_PER_TENANT, at: engine.clock.now() }),
      HOLD_MS,
      (schedule) => workOnSchedule(engine, schedule),
    )
    // The statement limits what it takes of one tenant, so all slots can be filled at once.
    const workers = new TenantWorkers(SLOTS, SLOTS_PER_TENANT, SLOTS)
    const options = { kind: 'schedules', everyMs: LOOK_EVERY_MS, looksAfterEach: true } as const
    super(engine, { ...options, workers, sources: [fire] }, onError)
  }
}

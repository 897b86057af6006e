import { takeDueLeavers } from '@skein/store'
import { TenantLoop, workSource } from '../loops/tenant-loop.ts'
import { TenantWorkers } from '../loops/tenant-workers.ts'
import type { EngineResources } from '../resources.ts'
import { HOLD_MS, workOnLeaver } from './work-on-leaver.ts'

const LOOK_EVERY_MS = 500
/** People whose things a server ends at the same time, in all and of one tenant. */
const SLOTS = 8
const SLOTS_PER_TENANT = 4

/** Ends what belonged to people who left. */
export class LeaverLoop extends TenantLoop {
  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    const end = workSource(
      (transaction, wanted) => takeDueLeavers(transaction, { ...wanted, at: engine.clock.now() }),
      HOLD_MS,
      (leaver) => workOnLeaver(engine, leaver),
    )
    const workers = new TenantWorkers(SLOTS, SLOTS_PER_TENANT)
    super(engine, { kind: 'leavers', everyMs: LOOK_EVERY_MS, workers, sources: [end] }, onError)
  }
}

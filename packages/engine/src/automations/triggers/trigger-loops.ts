import { takeDueTriggers, TriggerStore, type HeldTrigger } from '@skein/store'
import { TenantLoop, workSource } from '../../loops/tenant-loop.ts'
import { TenantWorkers } from '../../loops/tenant-workers.ts'
import type { EngineResources } from '../../resources.ts'
import { applyNext, HOLD_MS } from './apply-delivery.ts'

const LOOK_EVERY_MS = 500
const MAX_WORKERS = 32
/** So that a tenant with many deliveries leaves room for others. */
const MAX_WORKERS_OF_TENANT = 4
/** After this, other triggers get their turn. */
const MAX_TURN_MS = 20_000

/** Applies what triggers received. */
export class TriggerLoops extends TenantLoop {
  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    const apply = workSource(takeDueTriggers, HOLD_MS, (trigger, { signal }) =>
      applyDeliveries(engine, trigger, signal),
    )
    const workers = new TenantWorkers(MAX_WORKERS, MAX_WORKERS_OF_TENANT)
    const options = { kind: 'triggers', everyMs: LOOK_EVERY_MS, wakeOn: 'trigger-received' } as const
    super(engine, { ...options, workers, sources: [apply] }, onError)
  }
}

async function applyDeliveries(
  engine: EngineResources,
  held: HeldTrigger,
  signal: AbortSignal,
): Promise<void> {
  const turnEnds = performance.now() + MAX_TURN_MS
  let notBefore = 0
  while (!signal.aborted && performance.now() < turnEnds) {
    const applied = await applyNext(engine, held)
    if (applied === 'lost') return
    if (applied === 'nothing') break
    if (applied !== 'applied') {
      notBefore = applied.retryAt
      break
    }
  }
  await engine.database.forTenant(held.tenantId, (transaction) =>
    new TriggerStore(transaction).release(held, notBefore),
  )
}

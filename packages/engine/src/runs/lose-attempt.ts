import { loseAttempt as decideLoss } from '@skein/core'
import { releaseRun, wasOwnTenantHeld, type ClaimedRun } from '@skein/store'
import { SYSTEM } from '../commands/command.ts'
import { commandRun } from '../commands/run-command.ts'
import type { EngineResources } from '../resources.ts'

/** In leases. A runner that was told to let go stays silent for the rest of one, also if the tenant is resumed meanwhile. */
const HELD_FOR = 2

export async function loseAttempt(engine: EngineResources, run: ClaimedRun): Promise<void> {
  await commandRun(engine, run, {
    cause: ['lost'],
    actor: SYSTEM,
    withSubtree: true,
    decide: async (view) => {
      const isHeld = await wasOwnTenantHeld(view.transaction, HELD_FOR * engine.leaseMs)
      const decision = decideLoss(run, { ...view, isHeld })
      // Claimed, but the server died before the run started: it goes back into the queue.
      if (!decision.answer.isCurrent) await releaseRun(view.transaction, run)
      return decision
    },
  })
}

import { loseAttempt as decideLoss } from '@skein/core'
import { isOwnTenantSuspended, releaseRun, type ClaimedRun } from '@skein/store'
import { SYSTEM } from '../commands/command.ts'
import { commandRun } from '../commands/run-command.ts'
import type { EngineResources } from '../resources.ts'

export async function loseAttempt(engine: EngineResources, run: ClaimedRun): Promise<void> {
  await commandRun(engine, run, {
    cause: ['lost'],
    actor: SYSTEM,
    withSubtree: true,
    decide: async (view) => {
      const decision = decideLoss(run, { ...view, isSuspended: await isOwnTenantSuspended(view.transaction) })
      // Claimed, but the server died before the run started: it goes back into the queue.
      if (!decision.answer.isCurrent) await releaseRun(view.transaction, run)
      return decision
    },
  })
}

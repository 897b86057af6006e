import type { CompleteRunRequest } from '@skein/contract'
import { endRun as decideEnd, type Caller } from '@skein/core'
import { leaseHolder } from '@skein/store'
import { announceBudgets } from '../agents/announce-budgets.ts'
import { commandRun } from '../commands/run-command.ts'
import { urgently, type EngineResources } from '../resources.ts'
import { parseLease } from '../lease-id.ts'
import { runnerName } from './runner-name.ts'
import { toProgress } from './to-progress.ts'
import { toUsage } from './to-usage.ts'

/** Records how a run ended. A runner that lost its lease gets `accepted: false` and changes nothing. */
export async function endRun(
  resources: EngineResources,
  caller: Caller,
  request: CompleteRunRequest,
): Promise<{ accepted: boolean }> {
  const engine = urgently(resources)
  const lease = parseLease(request.lease)
  const place = await engine.runPlaces.find(engine, lease)
  if (!place) return { accepted: false }
  const { outcome } = request
  let holder: string | undefined
  const { answer } = await commandRun(engine, place, {
    // Includes the runner: a stranger repeating the report must not be told that it was accepted.
    cause: ['complete', runnerName(caller)],
    actor: caller.token,
    withSubtree: outcome.reason === 'failed' || (outcome.awaits?.length ?? 0) > 0,
    alongside: async (transaction) => {
      holder = await leaseHolder(transaction, lease)
    },
    decide: async (view) => {
      if (holder !== runnerName(caller)) return { answer: { isCurrent: false }, changes: [] }
      const { error, usage, retryAfterMs } = outcome
      const decision = decideEnd(
        {
          ...lease,
          events: toProgress(request.events, lease),
          outcome: {
            reason: outcome.reason,
            message: outcome.message ?? '',
            needsInput: outcome.needsInput ?? '',
            output: outcome.output ?? '',
            usage: toUsage(usage),
            session: outcome.session,
            limit: outcome.limit ?? '',
            awaits: outcome.awaits ?? [],
            ...(error && { error }),
            ...(retryAfterMs !== undefined && { retryAt: view.now + retryAfterMs }),
          },
        },
        view,
      )
      return announceBudgets(decision, view)
    },
  })
  return { accepted: isAccepted(answer) }
}

function isAccepted(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'isCurrent' in answer && answer.isCurrent === true
}

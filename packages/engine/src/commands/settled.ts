import { SkeinError } from '@skein/contract'
import { recordCommandQuery } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { identify } from './command-id.ts'
import { carryOutOnce, loadingOnlyItself, type CommandContext, type CommandOutcome } from './command.ts'

/**
 * Makes a rejection final for requests with an idempotency key. Another server may still be retrying an earlier try
 * of the same command, and would carry it out once the cause of the rejection is gone. So the rejection is recorded
 * before it is returned, and that try finds it. If that try came first, the caller gets its answer.
 */
export async function settled<Answer>(
  engine: EngineResources,
  context: CommandContext,
  work: () => Promise<CommandOutcome<Answer>>,
): Promise<CommandOutcome<Answer>> {
  try {
    return await work()
  } catch (error) {
    if (!context.idempotency || !(error instanceof SkeinError) || !settles(error)) throw error
    return settleRefusal(engine, context, error)
  }
}

/** A retryable error leaves the outcome open, and a replayed one is already recorded. */
function settles(error: SkeinError): boolean {
  return error.isFinal && !error.isReplay && error.reason !== 'IDEMPOTENCY_KEY_REUSED'
}

async function settleRefusal(
  engine: EngineResources,
  context: CommandContext,
  refusal: SkeinError,
): Promise<CommandOutcome<never>> {
  const { tenantId } = context
  const { id, request } = identify(engine, context)
  const record = { requestSha256: request.sha256, outcome: { refusal } }
  const outcome = await carryOutOnce(
    engine,
    { tenantId, request },
    {
      ...loadingOnlyItself(tenantId, id),
      decide: (_loaded, now) =>
        Promise.resolve({ answer: undefined, write: [() => recordCommandQuery(id, record, now)] }),
    },
  )
  if (outcome.isReplay) return outcome
  throw refusal
}

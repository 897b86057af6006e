import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import { CommandStore, type Session } from '@skein/store'
import { digestRequest, keyedCommandId } from './command-id.ts'
import type { EngineResources } from './resources.ts'

const RETRY_WINDOW_MS = 24 * 60 * 60 * 1000

/** Who sends a command, about which tenant, and how a retry of it is recognised. */
export interface CommandContext {
  readonly caller: Caller
  readonly tenantId: string
  readonly requestId: string
  /** Why, where the caller says so; operators must. */
  readonly justification?: string
  /** Absent when the caller sent no Idempotency-Key: the command is then carried out each time. */
  readonly idempotency?: { readonly key: string; readonly path: string; readonly request: unknown }
}

export type CommandOutcome<Answer> =
  | { readonly isReplay: false; readonly answer: Answer }
  /** The answer that was recorded when the command was first carried out. */
  | { readonly isReplay: true; readonly answer: unknown }

/** An answer, and what of it is recorded for a retry: everything but a one-time secret. */
export interface CommandResult<Answer> {
  readonly answer: Answer
  readonly recorded: Answer
}

/**
 * Carries a command out in one transaction, at most once for each idempotency key: its answer is recorded by
 * the same commit, so a retry after an unknown outcome finds it, or finds that nothing happened.
 */
export async function carryOut<Answer>(
  engine: EngineResources,
  context: CommandContext,
  work: (session: Session) => Promise<CommandResult<Answer>>,
): Promise<CommandOutcome<Answer>> {
  const { database, clock } = engine
  return database.forTenant(context.tenantId, async (session) => {
    if (!context.idempotency) return { isReplay: false, answer: (await work(session)).answer }
    const commands = new CommandStore(session)
    const id = keyedCommandId(context.caller, context.idempotency)
    const request = digestRequest(engine, context.idempotency.request)
    await commands.lock(id)
    const earlier = await commands.find(id, clock.now() - RETRY_WINDOW_MS)
    if (earlier) {
      if (request.isSameAs(earlier.requestSha256)) return { isReplay: true, answer: earlier.answer }
      throw new SkeinError('IDEMPOTENCY_KEY_REUSED')
    }
    const { answer, recorded } = await work(session)
    await commands.record(id, { requestSha256: request.sha256, answer: recorded }, clock.now())
    return { isReplay: false, answer }
  })
}

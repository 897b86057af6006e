import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import { CommandStore, type CommandRecord, type Session } from '@skein/store'
import { digestRequest, keyedCommandId, type RequestDigest } from './command-id.ts'
import type { EngineResources } from '../resources.ts'

/** How long what a command was told is remembered for whoever repeats it. */
export const RETRY_WINDOW_MS = 24 * 60 * 60 * 1000

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
  const { caller, tenantId, idempotency } = context
  if (!idempotency) {
    const { answer } = await database.forTenant(tenantId, work)
    return { isReplay: false, answer }
  }
  const id = keyedCommandId(caller, idempotency)
  const request = digestRequest(engine, idempotency.request)
  return settled(engine, context, () =>
    database.forTenant<CommandOutcome<Answer>>(tenantId, async (session) => {
      const commands = new CommandStore(session)
      await commands.lock(id)
      const earlier = await commands.find(id, clock.now() - RETRY_WINDOW_MS)
      if (earlier) return replay(earlier, request)
      const { answer, recorded } = await work(session)
      const record = { requestSha256: request.sha256, outcome: { answer: recorded } }
      await commands.record(id, record, clock.now())
      return { isReplay: false, answer }
    }),
  )
}

/** What an earlier try of a command was told, told again. */
export function replay(
  { requestSha256, outcome }: CommandRecord,
  request: RequestDigest,
): { isReplay: true; answer: unknown } {
  if (!request.isSameAs(requestSha256)) throw new SkeinError('IDEMPOTENCY_KEY_REUSED')
  if ('refusal' in outcome) throw outcome.refusal
  return { isReplay: true, answer: outcome.answer }
}

/**
 * Whoever is told no under a key can rely on it. Another server may still be retrying an earlier try of the same
 * command, and would carry it out once the cause of the refusal is gone; so the refusal is recorded before anyone
 * hears of it, and that try finds it. If that try was first, its answer is what the caller gets.
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
    return settleRefusal(engine, context, context.idempotency, error)
  }
}

/** A refusal that asks to be retried leaves the outcome open, and one from the record is there already. */
function settles(error: SkeinError): boolean {
  return error.isFinal && !error.isReplay && error.reason !== 'IDEMPOTENCY_KEY_REUSED'
}

async function settleRefusal<Answer>(
  engine: EngineResources,
  { caller, tenantId }: CommandContext,
  idempotency: NonNullable<CommandContext['idempotency']>,
  refusal: SkeinError,
): Promise<CommandOutcome<Answer>> {
  const { database, clock } = engine
  const id = keyedCommandId(caller, idempotency)
  const request = digestRequest(engine, idempotency.request)
  const earlier = await database.forTenant(tenantId, async (session) => {
    const commands = new CommandStore(session)
    await commands.lock(id)
    const found = await commands.find(id, clock.now() - RETRY_WINDOW_MS)
    if (!found) {
      await commands.record(id, { requestSha256: request.sha256, outcome: { refusal } }, clock.now())
    }
    return found
  })
  if (!earlier) throw refusal
  return replay(earlier, request)
}

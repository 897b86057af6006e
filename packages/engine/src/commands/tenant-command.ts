import { recordCommandQuery, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { identify } from './command-id.ts'
import {
  carryOutOnce,
  loadingOnlyItself,
  untilKnown,
  type CommandContext,
  type CommandOutcome,
} from './command.ts'
import { settled } from './settled.ts'

/** An answer, and what is recorded for retries: everything except one-time secrets. */
interface CommandResult<Answer> {
  readonly answer: Answer
  readonly recorded: Answer
}

/** Carries out a command on a tenant's catalog or sessions, rather than on its agents. */
export async function carryOutTenantCommand<Answer>(
  engine: EngineResources,
  context: CommandContext,
  work: (transaction: Transaction) => Promise<CommandResult<Answer>>,
): Promise<CommandOutcome<Answer>> {
  const { tenantId } = context
  const { id, request } = identify(engine, context)
  const once = {
    ...loadingOnlyItself(tenantId, id),
    async decide(_loaded: unknown, now: number, transaction: Transaction) {
      const { answer, recorded } = await work(transaction)
      const record = { requestSha256: request.sha256, outcome: { answer: recorded } }
      return { answer, write: [() => recordCommandQuery(id, record, now)] }
    },
  }
  const outcome = await settled(engine, context, () =>
    untilKnown(() => carryOutOnce(engine, { tenantId, request }, once)),
  )
  engine.wakeups.publishAudit(tenantId)
  return outcome
}

import { formatTimestamp, SkeinError, type SessionEntry } from '@skein/contract'
import type { Caller } from '@skein/core'
import { BrowserSessionStore, SessionEndStore } from '@skein/store'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import type { EngineResources } from '../resources.ts'
import { recordSession } from './record-session.ts'

/** Sessions of the caller's own account, newest first. */
export async function listSessions(
  { database, clock }: EngineResources,
  caller: Caller,
): Promise<{ sessions: SessionEntry[] }> {
  const records = await database.forTenant(caller.tenantId, (transaction) =>
    new BrowserSessionStore(transaction).list(caller, clock.now()),
  )
  return {
    sessions: records.map(({ id, kind, token, userAgent, createdAt, expiresAt }) => ({
      id,
      kind,
      token,
      userAgent,
      createTime: formatTimestamp(createdAt),
      expireTime: formatTimestamp(expiresAt),
      isCurrent: id === (caller.sessionId ?? caller.commandLineId),
    })),
  }
}

/** Another account's session counts as not found. */
export async function endSession(
  engine: EngineResources,
  context: CommandContext,
  sessionId: string,
): Promise<CommandOutcome<Record<string, never>>> {
  const { caller, requestId, address = '' } = context
  return carryOutTenantCommand(engine, context, async (transaction) => {
    const at = engine.clock.now()
    const isEnded = await new SessionEndStore(transaction).end(caller, sessionId, at)
    if (!isEnded) throw new SkeinError('SESSION_NOT_FOUND')
    await recordSession(transaction, {
      caller,
      requestId,
      address,
      operation: 'endSession',
      name: sessionId,
      at,
    })
    return { answer: {}, recorded: {} }
  })
}

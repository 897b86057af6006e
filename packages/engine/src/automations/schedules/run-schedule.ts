import { formatTimestamp, SkeinError } from '@skein/contract'
import { MAX_WAITING_FIRINGS, requireJustification } from '@skein/core'
import { FiringStore, ScheduleStore } from '@skein/store'
import { recordAudit } from '../../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../../commands/command.ts'
import { carryOutTenantCommand } from '../../commands/tenant-command.ts'
import type { EngineResources } from '../../resources.ts'
import { requireSchedule } from './read-schedules.ts'

/** Adds a firing that is due now. A server carries it out as any other. */
export function runSchedule(
  engine: EngineResources,
  context: CommandContext,
  name: string,
  justification: string,
): Promise<CommandOutcome<{ dueTime: string }>> {
  requireJustification(context.caller, justification)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    await requireSchedule(transaction, name)
    const now = engine.clock.now()
    const firings = new FiringStore(transaction)
    const open = await firings.open(name, MAX_WAITING_FIRINGS)
    if (open.length >= MAX_WAITING_FIRINGS) {
      throw new SkeinError('QUOTA_EXCEEDED', {
        message: `${MAX_WAITING_FIRINGS} firings of the schedule ${name} are waiting already.`,
        retryDelayMs: 10_000,
      })
    }
    await firings.add(name, [now], { isManual: true, outcome: 'pending', detail: '', at: now })
    await new ScheduleStore(transaction).lookNow(name, now)
    await recordAudit(transaction, context, {
      operation: 'runSchedule',
      kind: 'schedule',
      name,
      at: now,
      justification,
    })
    const answer = { dueTime: formatTimestamp(now) }
    return { answer, recorded: answer }
  })
}

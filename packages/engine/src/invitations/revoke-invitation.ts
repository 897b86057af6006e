import { SkeinError } from '@skein/contract'
import { requireJustification } from '@skein/core'
import { InvitationStore } from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import type { EngineResources } from '../resources.ts'

/** Its link stops working at once. */
export function revokeInvitation(
  engine: EngineResources,
  context: CommandContext,
  id: string,
): Promise<CommandOutcome<Record<string, never>>> {
  const { caller, justification = '' } = context
  requireJustification(caller, justification)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    const at = engine.clock.now()
    if (!(await new InvitationStore(transaction).end(id, at))) throw new SkeinError('INVITATION_NOT_FOUND')
    await recordAudit(transaction, context, {
      operation: 'revokeInvitation',
      kind: 'invitation',
      name: id,
      justification,
      at,
    })
    return { answer: {}, recorded: {} }
  })
}

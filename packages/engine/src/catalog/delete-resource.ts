import { decideDelete, requireJustification, type DeleteCommand } from '@skein/core'
import { AgentReader, CatalogStore, PersonStore, SessionEndStore, endDirectoryList } from '@skein/store'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import type { EngineResources } from '../resources.ts'
import { dropBudget } from '../budgets/follow-budget.ts'
import { followDelete } from './follow-integration.ts'
import { disarmSchedule } from './follow-schedule.ts'
import { divideWithout, forgetDivision } from './follow-team.ts'
import { unwatchHosts } from './follow-workspace.ts'
import { recordChange } from './record-change.ts'
import { dropSecrets } from './secrets.ts'

export interface DeleteResource extends DeleteCommand {
  readonly justification: string
}

export async function deleteResource(
  engine: EngineResources,
  context: CommandContext,
  command: DeleteResource,
): Promise<CommandOutcome<Record<string, never>>> {
  requireJustification(context.caller, command.justification)
  const { kind, name, justification } = command
  const ref = { kind: kind.kind, name }
  const outcome = await carryOutTenantCommand(engine, context, async (transaction) => {
    const catalog = new CatalogStore(transaction)
    await catalog.lock(ref)
    const stored = await catalog.find(ref)
    const agents = await new AgentReader(transaction).liveUsersOf(ref)
    const decision = decideDelete(command, stored, await catalog.referrers(ref), context.caller, agents)
    await recordChange(transaction, context, {
      ...ref,
      ...decision,
      operation: 'deleteResource',
      action: 'deleted',
      references: [],
      justification,
      at: engine.clock.now(),
    })
    await followDelete(transaction, ref)
    await divideWithout(transaction, ref)
    await unwatchHosts(transaction, ref)
    if (ref.kind === 'budget') await dropBudget(transaction, name)
    if (ref.kind === 'schedule') await disarmSchedule(transaction, name)
    if (ref.kind === 'directory' || ref.kind === 'identity-provider') {
      await new SessionEndStore(transaction).revokeOfProviders([name], engine.clock.now())
    }
    if (ref.kind === 'directory') {
      await new PersonStore(transaction).unlist(name)
      await endDirectoryList(transaction, name, decision.generation)
    }
    await dropSecrets(engine, transaction, ref)
    return { answer: {}, recorded: {} }
  })
  forgetDivision(engine, context.tenantId, ref)
  return outcome
}

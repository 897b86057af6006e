import { parseTimestamp, type QueueFollowUpRequest, type Task } from '@skein/contract'
import { isLive, newTask, queueFollowUp as decideQueue, type AgentState } from '@skein/core'
import type { Transaction } from '@skein/store'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent, type AgentView } from '../commands/agent-command.ts'
import { CatalogView } from '../agents/catalog-view.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { resolveChange, type SettingsChange } from '../agents/settings-change.ts'
import { newId } from '../new-id.ts'

export async function queueFollowUp(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  request: QueueFollowUpRequest,
  /** Of the service itself, which may be ephemeral. */
  ownTasks: readonly Task[] = [],
): Promise<CommandOutcome<{ followUpId: string }>> {
  const { followUpId = '' } = request
  const id = followUpId === '' ? newId() : followUpId
  const deliverAt = request.deliverAt === undefined ? undefined : parseTimestamp(request.deliverAt)
  const outputSchemaProblem = await engine.schemas.problemOf(target.tenantId, request.outputSchema ?? '')
  return commandAgent(engine, context, target, { operation: 'queueFollowUp', followUpId }, async (view) => {
    const { override, personaTasks: tasksOfPersona } = await resolveRequest(
      view,
      request,
      outputSchemaProblem,
    )
    return decideQueue(
      {
        followUpId: id,
        description: request.description ?? '',
        tasks: [...(request.tasks ?? []).map((task) => newTask(task, newId())), ...ownTasks],
        override,
        ...(tasksOfPersona && { personaTasks: tasksOfPersona }),
        preempt: request.preempt ?? false,
        steers: request.steer ?? false,
        deliverAt,
      },
      {
        agent: view.agent,
        parent: view.parent,
        isKnown: view.isKnownFollowUp,
        quota: view.quota,
        queuedBytes: view.queuedBytes,
        canDefer: deliverAt === undefined || (await canDefer(view.transaction, view.agent)),
        now: view.now,
      },
    )
  })
}

/** Skipped for a known or late message: its settings no longer matter, so they cannot be wrong. */
async function resolveRequest(
  { transaction, agent, isKnownFollowUp }: AgentView,
  request: QueueFollowUpRequest,
  outputSchemaProblem: string | undefined,
): Promise<SettingsChange> {
  if (!isLive(agent) || isKnownFollowUp) return { override: {} }
  return resolveChange(transaction, agent, request, outputSchemaProblem)
}

async function canDefer(transaction: Transaction, agent: AgentState | undefined): Promise<boolean> {
  return agent === undefined || new CatalogView(transaction).canDefer(agent.pool)
}

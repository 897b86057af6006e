import { SkeinError, type Labels, type Task } from '@skein/contract'
import type { Decision } from './change.ts'
import { isOpen } from './checklist.ts'
import { applyOverride } from './settings.ts'
import { beginLife, type SpawnContext } from './spawn-agent.ts'
import type { AgentIdentity, AgentState, SettingsOverride } from './state.ts'

/** Continues an ended agent. Undefined fields keep their value. */
export interface ResumeAgent {
  readonly identity: AgentIdentity
  /** The first message to the agent. Its description stays the same. */
  readonly message: string
  readonly expectedOutput: string | undefined
  readonly override: SettingsOverride
  readonly tasks: readonly Task[]
  /** Tasks of the new persona; undefined if the persona doesn't change. */
  readonly personaTasks: readonly Task[] | undefined
  readonly autoComplete: boolean | undefined
  readonly maxCostMicros: bigint | undefined
  readonly labels: Labels | undefined
  readonly pool: string
  readonly repos: readonly string[]
  readonly followUpId: string
}

export function resumeAgent(
  command: ResumeAgent,
  context: SpawnContext & { readonly retentionMs: number },
): Decision<{ id: string; followUpId: string }> {
  const { existing, now } = context
  if (!existing) {
    throw new SkeinError('AGENT_NOT_FOUND', {
      message: `Agent ${command.identity.path.join('/')} not found, so it cannot be continued.`,
    })
  }
  requireKept(existing, now - context.retentionMs)
  const { budgetLeftMicros, costBeforeMicros: costSoFarMicros } = context
  const spentMicros = costSoFarMicros - existing.costBeforeMicros
  return beginLife(
    {
      facts: {
        id: existing.id,
        identity: existing.identity,
        resumed: true,
        description: existing.description,
        expectedOutput: command.expectedOutput ?? existing.expectedOutput,
        settings: applyOverride(existing.settings, command.override),
        autoComplete: command.autoComplete ?? existing.autoComplete,
        maxCostMicros: command.maxCostMicros ?? existing.maxCostMicros,
        // The budget carries over: earlier spending counts.
        costBeforeMicros: existing.costBeforeMicros,
        labels: command.labels ?? existing.labels,
        pool: command.pool,
        repos: command.repos,
      },
      tasks: [...openTasksOf(existing, command), ...command.tasks, ...(command.personaTasks ?? [])],
      messages: [{ followUpId: command.followUpId, description: messageOf(command) }],
    },
    // Its earlier spending is already deducted from the budgets above, but still counts against its own.
    {
      ...context,
      budgetLeftMicros: budgetLeftMicros === undefined ? undefined : budgetLeftMicros + spentMicros,
    },
  )
}

/** Runners delete the conversation and saved work of agents that ended before `keptSince`. */
function requireKept({ identity, endedAt, session }: AgentState, keptSince: number): void {
  if (session === '' || endedAt === undefined || endedAt > keptSince) return
  throw new SkeinError('SESSION_EXPIRED', {
    message: `The conversation of ${identity.path.join('/')} is no longer kept: it ended ${new Date(endedAt).toISOString()}.`,
  })
}

/** Open tasks, linked only to tasks that still exist. Switching persona drops the old persona's tasks. */
function openTasksOf({ tasks }: AgentState, { personaTasks }: ResumeAgent): Task[] {
  const kept = tasks.filter((task) => isOpen(task) && (personaTasks === undefined || task.persona === ''))
  const ids = new Set(kept.map(({ id }) => id))
  return kept.map((task) => ({
    ...task,
    blocks: task.blocks.filter((id) => ids.has(id)),
    blockedBy: task.blockedBy.filter((id) => ids.has(id)),
  }))
}

/** The agent remembers the earlier expected output, so only a new one is mentioned. */
function messageOf({ message, expectedOutput = '' }: ResumeAgent): string {
  return expectedOutput === '' ? message : `${message}\n\nExpected output: ${expectedOutput}`
}

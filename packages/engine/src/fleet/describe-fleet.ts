import {
  cutText,
  ERROR_TEXT_LENGTH,
  formatInt64,
  formatTimestamp,
  SHORT_TEXT_LENGTH,
  type FleetEntry,
} from '@skein/contract'
import { isTerminal } from '@skein/contract/facts'
import { agentKey, countedTasks, openTasks, type AgentState } from '@skein/core'
import type { FleetFilter } from '@skein/store'
import { maybeTime, toDollars, toEntry, type Describing } from '../agents/describe-agent.ts'

export function toFleetEntry(agent: AgentState, describing: Describing): FleetEntry {
  const { tasks, run, endedAt } = agent
  const activeTaskIds = run?.activeTaskIds ?? []
  return {
    ...toEntry(agent, describing),
    createTime: formatTimestamp(agent.createdAt),
    endTime: endedAt === undefined ? '' : formatTimestamp(endedAt),
    labels: agent.labels,
    persona: agent.settings.persona,
    model: agent.settings.model,
    maxCost: toDollars(agent.maxCostMicros),
    budgetReached: agent.budgetReached ?? 0,
    runCount: formatInt64(agent.runCount),
    errorMessage: cutText(agent.error?.message ?? '', ERROR_TEXT_LENGTH),
    openTasks: openTasks(tasks, activeTaskIds).length,
    totalTasks: countedTasks(tasks, activeTaskIds).length,
    description: cutText(agent.description, SHORT_TEXT_LENGTH),
    nextDeliverAt: maybeTime(nextDeliverAt(agent)),
    lastMessage: cutText(agent.lastMessage, SHORT_TEXT_LENGTH),
  }
}

function nextDeliverAt({ deferred }: AgentState): number | undefined {
  const times = deferred.flatMap(({ deliverAt }) => deliverAt ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Whether an agent can ever match. Its name and owner never change. */
export function belongsTo(
  { identity }: AgentState,
  { owner, workspace, workspaces, under }: FleetFilter,
): boolean {
  if (owner && (owner.provider !== identity.ownerProvider || owner.account !== identity.account)) return false
  if (workspace !== undefined && workspace !== identity.workspace) return false
  if (workspaces && !workspaces.includes(identity.workspace)) return false
  return under === undefined || `${agentKey(identity)}/`.startsWith(`${under}/`)
}

/** Whether a fleet's agent matches now. Must match the list's SQL. */
export function matchesNow(
  agent: AgentState,
  { includeTerminal, phases, labels }: Pick<FleetFilter, 'includeTerminal' | 'phases' | 'labels'>,
): boolean {
  if (!includeTerminal && isTerminal(agent.phase)) return false
  if (phases && !phases.includes(agent.phase)) return false
  return Object.entries(labels).every(([name, value]) => agent.labels[name] === value)
}

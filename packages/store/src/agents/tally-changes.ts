import type { Phase } from '@skein/contract'
import { isTerminal } from '@skein/contract/facts'
import { addUsage, NO_USAGE, rootKey, type AgentChange, type AgentState, type Usage } from '@skein/core'
import type { FleetHour, TreeRows, UsedTokens } from './tree-rows.ts'

const HOUR_MS = 3_600_000

/** How a command changes the counts of live agents and the hourly totals. */
export function tallyChanges(changes: readonly AgentChange[]): TreeRows['fleet'] {
  const [first] = changes
  if (!first) return {}
  // A tree has one workspace and one owner.
  const { workspace, ownerProvider, account } = first.agent.identity
  const counts = countPhases(changes)
  const hours = sumHours(changes)
  const used = changes.flatMap(listUsed)
  const settled = changes.flatMap(({ agent, events }) =>
    events.some(({ event }) => ENDS_CALL.has(event.type)) ? [agent.id] : [],
  )
  return {
    workspace,
    ownerProvider,
    account,
    ...(Object.values(counts).some((amount) => amount !== 0) && { counts }),
    ...(hours.length > 0 && { hours }),
    ...(used.length > 0 && { used }),
    ...(settled.length > 0 && { settled, rootKey: rootKey(first.agent.identity) }),
  }
}

/** What its calls used is reported when they end, and there are none without a run. */
const ENDS_CALL: ReadonlySet<string> = new Set([
  'run.metered',
  'run.ended',
  'run.paused',
  'run.attempt-failed',
  'run.attempt-lost',
])

/** Calls that used nothing, such as refused ones, leave no row: an agent chooses the names of models freely. */
function listUsed({ agent, events, at }: AgentChange): UsedTokens[] {
  const byModel = new Map<string, Usage>()
  for (const { event } of events) {
    if (event.type !== 'run.metered' || event.costMicros + event.inputTokens + event.outputTokens === 0n)
      continue
    const model = event.model ?? agent.settings.model
    byModel.set(model, addUsage(byModel.get(model) ?? NO_USAGE, event))
  }
  const { labels, settings } = agent
  return [...byModel].map(([model, usage]) => ({
    at: new Date(at).toISOString(),
    persona: settings.persona,
    model,
    labels,
    costMicros: usage.costMicros.toString(),
    inputTokens: usage.inputTokens.toString(),
    cachedInputTokens: usage.cachedInputTokens.toString(),
    outputTokens: usage.outputTokens.toString(),
  }))
}

function countPhases(changes: readonly AgentChange[]) {
  const difference = (holds: (agent: AgentState) => boolean): number =>
    changes.reduce(
      (sum, { agent, before }) => sum + Number(holds(agent)) - Number(before !== undefined && holds(before)),
      0,
    )
  return {
    pending: difference(({ phase }) => phase === 'PHASE_PENDING'),
    running: difference(({ phase }) => phase === 'PHASE_RUNNING'),
    waiting: difference(({ phase }) => phase === 'PHASE_WAITING'),
    asking: difference(({ phase, needsInput }) => !isTerminal(phase) && needsInput !== ''),
  }
}

/** Two if an agent that ended in an earlier hour is live again: it no longer counts as ended. */
function sumHours(changes: readonly AgentChange[]): FleetHour[] {
  const hours = new Map<number, { usage: Usage; ended: Ended }>()
  const hourOf = (at: number) => {
    const start = Math.floor(at / HOUR_MS) * HOUR_MS
    const hour = hours.get(start) ?? { usage: NO_USAGE, ended: { completed: 0, failed: 0, canceled: 0 } }
    hours.set(start, hour)
    return hour
  }
  for (const { agent, before, events, at } of changes) {
    for (const { event } of events) {
      if (event.type !== 'run.metered') continue
      const hour = hourOf(at)
      hour.usage = addUsage(hour.usage, event)
    }
    if (agent.phase === before?.phase) continue
    if (isTerminal(agent.phase)) countEnd(hourOf(at).ended, agent.phase, 1)
    if (before?.endedAt !== undefined && isTerminal(before.phase))
      countEnd(hourOf(before.endedAt).ended, before.phase, -1)
  }
  return [...hours]
    .toSorted(([one], [other]) => one - other)
    .map(([start, { usage, ended }]) => ({
      hour: new Date(start).toISOString(),
      costMicros: usage.costMicros.toString(),
      inputTokens: usage.inputTokens.toString(),
      cachedInputTokens: usage.cachedInputTokens.toString(),
      outputTokens: usage.outputTokens.toString(),
      ...ended,
    }))
}

type Ended = Record<'completed' | 'failed' | 'canceled', number>

function countEnd(ended: Ended, phase: Phase, amount: number): void {
  if (phase === 'PHASE_COMPLETED') ended.completed += amount
  else if (phase === 'PHASE_FAILED') ended.failed += amount
  else ended.canceled += amount
}

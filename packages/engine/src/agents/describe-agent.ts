import {
  cutText,
  formatInt64,
  formatTimestamp,
  type AgentEntry,
  type AgentId,
  type AgentStatus,
  type FollowUp,
  type Run,
  type Tenant,
} from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import {
  describePending,
  openTasks,
  type AgentFailure,
  type AgentIdentity,
  type AgentSettings,
  type AgentState,
  type ListedAgent,
  type RunRecord,
  type Usage,
} from '@skein/core'
import type { PendingRecord, StatusRecord } from '@skein/store'
import type { EngineResources } from '../resources.ts'

export interface ListedTenant {
  readonly tenantId: string
  readonly tenant: Tenant
}

/** What is needed to describe an agent, besides its state. */
export interface Describing {
  readonly tenant: Tenant
  readonly publicUrl: string
  /** Pools currently served by a runner. */
  readonly onlinePools: ReadonlySet<string>
  readonly now: number
}

/** Reads what is needed to describe these agents. */
export async function readDescribing(
  { onlinePools, publicUrl, clock }: EngineResources,
  { tenantId, tenant }: ListedTenant,
  agents: readonly ListedAgent[],
): Promise<Describing> {
  return {
    tenant,
    publicUrl,
    onlinePools: await onlinePools.forAgents(tenantId, agents),
    now: clock.now(),
  }
}

export function toAgentId(identity: AgentIdentity, tenant: Tenant): AgentId {
  return {
    tenant,
    ownerProvider: identity.ownerProvider,
    account: identity.account,
    agent: [...identity.path],
    workspace: identity.workspace,
  }
}

export function dashboardUrl(identity: AgentIdentity, publicUrl: string): string {
  const owner = `${providerName(identity.ownerProvider)}/${encodeURIComponent(identity.account)}`
  return `${publicUrl}/agents/${owner}/${identity.workspace}/${identity.path.join('/')}`
}

export function toEntry(agent: ListedAgent, describing: Describing): AgentEntry {
  const { tenant, publicUrl, onlinePools, now } = describing
  const { pendingReason, pendingUntil } = describePending(agent, onlinePools, now)
  return {
    agentId: toAgentId(agent.identity, tenant),
    phase: agent.phase,
    progressAt: maybeTime(agent.progressAt),
    repos: [...agent.repos],
    dashboardUrl: dashboardUrl(agent.identity, publicUrl),
    needsInput: agent.needsInput,
    pendingReason,
    pendingUntil: maybeTime(pendingUntil),
    ...describeUsage(agent.usage),
  }
}

export function toStatus(
  { agent, treeCostMicros, pending, build }: StatusRecord,
  describing: Describing,
): AgentStatus {
  return {
    ...toEntry(agent, describing),
    runCount: formatInt64(agent.runCount),
    run: toRun(agent.run),
    description: agent.description,
    expectedOutput: agent.expectedOutput,
    ...describeSettings(agent.settings),
    output: agent.output,
    lastMessage: agent.lastMessage,
    tasks: [...agent.tasks],
    openTaskIds: openTasks(agent.tasks, agent.run?.activeTaskIds ?? []).map(({ id }) => id),
    followUps: pending.map(toShortFollowUp),
    ...countPending(agent, pending.length),
    labels: agent.labels,
    maxCost: toDollars(agent.maxCostMicros),
    treeCost: toDollars(treeCostMicros),
    error: describeFailure(agent.error),
    branches: (agent.branches ?? []).map(({ repo, ref, commit }) => ({
      repo,
      branch: ref.replace(/^refs\/heads\//, ''),
      commit,
    })),
    createTime: formatTimestamp(agent.createdAt),
    endTime: maybeTime(agent.endedAt),
    build,
  }
}

/** Empty if nothing failed. */
export function describeFailure(error: AgentFailure | undefined): AgentStatus['error'] {
  return { code: error?.code ?? '', message: error?.message ?? '' }
}

/** An agent's settings as shown to people and runners. */
export function describeSettings(settings: AgentSettings) {
  const { persona, backend, model, reasoningEffort, serviceTier, fastMode, outputSchema } = settings
  return { persona, backend, model, reasoningEffort, serviceTier, fastMode, outputSchema }
}

const NO_RUN: Run = {
  runId: '0',
  state: 'RUN_STATE_UNSPECIFIED',
  startTime: '',
  endTime: '',
  attempt: 0,
  stopMode: 'STOP_TURN_MODE_UNSPECIFIED',
  endReason: '',
}

const RUN_STATES = {
  queued: 'RUN_STATE_QUEUED',
  running: 'RUN_STATE_RUNNING',
  ended: 'RUN_STATE_ENDED',
} as const satisfies Record<RunRecord['state'], Run['state']>

function toRun(run: RunRecord | undefined): Run {
  if (!run) return NO_RUN
  return {
    runId: formatInt64(run.runId),
    state: RUN_STATES[run.state],
    startTime: maybeTime(run.startedAt),
    endTime: maybeTime(run.endedAt),
    attempt: run.attempt,
    stopMode: run.stopMode,
    endReason: run.endReason,
  }
}

/** An agent's description must not grow with what others send to it. */
const SHOWN_LENGTH = 1024

function toShortFollowUp(record: PendingRecord): FollowUp {
  const followUp = toFollowUp(record)
  return { ...followUp, description: cutText(followUp.description, SHOWN_LENGTH) }
}

/** Only needed if some are not shown. */
function countPending(
  { queue, deferred }: AgentState,
  shown: number,
): Pick<AgentStatus, 'followUpCount'> | undefined {
  const count = queue.length + deferred.length
  return count > shown ? { followUpCount: count } : undefined
}

export function toFollowUp({ state, body }: PendingRecord): FollowUp {
  return {
    followUpId: body.followUpId,
    description: body.description,
    state,
    deliverAt: maybeTime(body.deliverAt),
    createTime: formatTimestamp(body.createdAt),
  }
}

export function describeUsage(usage: Usage) {
  return {
    cost: toDollars(usage.costMicros),
    inputTokens: formatInt64(usage.inputTokens),
    cachedInputTokens: formatInt64(usage.cachedInputTokens),
    outputTokens: formatInt64(usage.outputTokens),
    totalTokens: formatInt64(usage.inputTokens + usage.outputTokens),
  }
}

/** Money is counted in millionths of a dollar, so that sums are exact. The API shows dollars. */
export function toDollars(micros: bigint): number {
  return Number(micros) / 1_000_000
}

export function toMicros(dollars: number): bigint {
  return BigInt(Math.round(dollars * 1_000_000))
}

export function maybeTime(at: number | undefined): string {
  return at === undefined ? '' : formatTimestamp(at)
}

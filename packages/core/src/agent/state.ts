import type { Labels, Phase, Provider, RunEndReason, StopTurnMode, Task } from '@skein/contract'
import * as facts from '@skein/contract/facts'

/** An agent's identity within its tenant. No rule ever crosses tenants. */
export interface AgentIdentity {
  readonly workspace: string
  readonly ownerProvider: Provider
  readonly account: string
  /** From root to leaf. */
  readonly path: readonly string[]
}

/** A setting a caller can choose. Once chosen, only a caller can change it. */
export type ChosenSetting = 'model' | 'reasoningEffort' | 'serviceTier' | 'fastMode' | 'outputSchema'

/** How turns are executed. */
export interface AgentSettings {
  readonly persona: string
  /** The version active when it was chosen. Later edits don't affect a live agent. */
  readonly personaGeneration: string
  readonly backend: string
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: boolean
  readonly outputSchema: string
  /** Settings the caller chose, as opposed to those from a persona or a default. */
  readonly chosen: readonly ChosenSetting[]
}

/** Settings a follow-up changes, from its turn on. */
export type SettingsOverride = Partial<Omit<AgentSettings, 'backend'>>

/** Queue entry of an undelivered message. The text is stored with the message. */
export interface PendingFollowUp {
  readonly followUpId: string
  readonly hasOverride: boolean
  /** Whether it is for the turn in progress. */
  readonly steers?: boolean
  /** Number of tasks it adds, including its persona's. */
  readonly taskCount: number
  /** Its size in the queue. */
  readonly bytes: number
  /** Epoch milliseconds; present while deferred. */
  readonly deliverAt?: number
}

/** A message as accepted. */
export interface FollowUpBody {
  readonly followUpId: string
  readonly description: string
  readonly tasks: readonly Task[]
  readonly override: SettingsOverride
  /** Tasks of the override's persona. They replace the previous persona's tasks. */
  readonly personaTasks?: readonly Task[]
  readonly steers?: boolean
  readonly deliverAt?: number
  readonly createdAt: number
}

export interface Usage {
  readonly costMicros: bigint
  readonly inputTokens: bigint
  readonly cachedInputTokens: bigint
  readonly outputTokens: bigint
}

/** What the calls of one model used. */
export interface MeteredUsage extends Usage {
  /** Absent if the runner does not say. */
  readonly model?: string
}

export const NO_USAGE: Usage = { costMicros: 0n, inputTokens: 0n, cachedInputTokens: 0n, outputTokens: 0n }

/** Limits that can end a run before the agent is done. */
export type RunLimit = '' | 'budget' | 'monthly-budget' | 'time' | 'disk'

export interface RunRecord {
  readonly runId: bigint
  readonly attempt: number
  readonly state: 'queued' | 'running' | 'ended'
  /** Absent in records from before it was added. */
  readonly queuedAt?: number
  /** Earliest start; absent means immediately. */
  readonly availableAt?: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly stopMode: StopTurnMode
  /** The first request; a kill after an interrupt doesn't change it. */
  readonly stopRequestedAt?: number
  readonly endReason: RunEndReason
  readonly usage: Usage
  /** The limit that ended it; empty if none did. */
  readonly limit: RunLimit
  /** Attempts that were lost or failed, not those that were paused. */
  readonly failures: number
  /** Tasks whose file pattern matched a push of this run. */
  readonly activeTaskIds: readonly string[]
}

export interface AgentFailure {
  readonly code: string
  readonly message: string
}

/** A branch as of the agent's last push to it. */
export interface PushedBranch {
  readonly repo: string
  readonly ref: string
  readonly commit: string
}

export interface AgentState {
  /** The same for all incarnations of the identity. */
  readonly id: string
  readonly identity: AgentIdentity
  readonly incarnation: number
  /** Sequence of this incarnation's first event. */
  readonly firstSequence: bigint
  /** Whether this incarnation continues the previous one's conversation. */
  readonly resumed?: true
  /** Number of runs in earlier incarnations. */
  readonly runsBefore: bigint
  /** Sequence of the newest event. */
  readonly sequence: bigint
  readonly phase: Phase
  readonly description: string
  readonly expectedOutput: string
  readonly settings: AgentSettings
  readonly autoComplete: boolean
  /** 0 means no budget of its own. */
  readonly maxCostMicros: bigint
  /** How much of the budget people were last told about, in percent; absent before the first level. */
  readonly budgetReached?: number
  /** Cost of earlier incarnations of this identity and its descendants. It doesn't count against the budget. */
  readonly costBeforeMicros: bigint
  readonly labels: Labels
  readonly pool: string
  readonly repos: readonly string[]
  readonly tasks: readonly Task[]
  /** Oldest first. */
  readonly queue: readonly PendingFollowUp[]
  readonly deferred: readonly PendingFollowUp[]
  /** The number of the newest run. It never decreases, not even across incarnations. */
  readonly runCount: bigint
  readonly run?: RunRecord
  readonly usage: Usage
  readonly needsInput: string
  /** Names of the children it awaits. While there are any, it is pending without a run. */
  readonly awaits: readonly string[]
  /** Where the backend's conversation is stored, for the next turn's runner. Only runners can read it. */
  readonly session: string
  /** The session of an earlier incarnation that this one doesn't continue. It can be deleted. */
  readonly discarded?: string
  readonly output: string
  readonly lastMessage: string
  readonly error?: AgentFailure
  /** Newest push first; absent before the first push. */
  readonly branches?: readonly PushedBranch[]
  readonly createdAt: number
  readonly endedAt?: number
  readonly progressAt?: number
}

/** How long a run has been queued, not counting the back-off of a retry. */
export function queuedMs(run: RunRecord | undefined, now: number): number {
  const since = run?.availableAt ?? run?.queuedAt
  return since === undefined ? 0 : Math.max(0, now - since)
}

type LivePhase = Exclude<Phase, facts.TerminalPhase>

export function isLive(agent: AgentState | undefined): agent is AgentState & { readonly phase: LivePhase } {
  return agent !== undefined && !facts.isTerminal(agent.phase)
}

/** Unique per agent within a tenant. The root's key is what locks the tree. */
export function agentKey(identity: AgentIdentity): string {
  return facts.agentKey(identity, identity.path)
}

/** The inverse of `agentKey`. */
export function identityOfKey(key: string): AgentIdentity {
  const [workspace = '', provider, account = '', ...path] = key.split('/')
  const ownerProvider = facts.PROVIDERS.find((known) => known === provider)
  if (!ownerProvider) throw new Error(`No agent has the key ${key}`)
  return { workspace, ownerProvider, account: decodeURIComponent(account), path }
}

export function rootKey(identity: AgentIdentity): string {
  return agentKey({ ...identity, path: identity.path.slice(0, 1) })
}

export function parentIdentity(identity: AgentIdentity): AgentIdentity | undefined {
  return identity.path.length > 1 ? { ...identity, path: identity.path.slice(0, -1) } : undefined
}

/** The agent itself or a descendant. */
export function isWithin(identity: AgentIdentity, ancestor: AgentIdentity): boolean {
  return agentKey(identity) === agentKey(ancestor) || isDescendant(identity, ancestor)
}

export function isDescendant(identity: AgentIdentity, ancestor: AgentIdentity): boolean {
  return agentKey(identity).startsWith(`${agentKey(ancestor)}/`)
}

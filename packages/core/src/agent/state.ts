import type { Labels, Phase, Provider, RunEndReason, StopTurnMode, Task } from '@skein/contract'
import * as facts from '@skein/contract/facts'

/** Which agent: everything of its identity but the tenant, which no rule ever crosses. */
export interface AgentIdentity {
  readonly workspace: string
  readonly ownerProvider: Provider
  readonly account: string
  /** From root to leaf. */
  readonly path: readonly string[]
}

/** A setting that a caller can choose. Once chosen, only a caller changes it. */
export type ChosenSetting = 'model' | 'reasoningEffort' | 'serviceTier' | 'fastMode' | 'outputSchema'

/** How turns are executed. */
export interface AgentSettings {
  readonly persona: string
  /** The version that was active when it was chosen; a later edit does not change an agent in mid-life. */
  readonly personaGeneration: string
  readonly backend: string
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: boolean
  readonly outputSchema: string
  /** What a caller asked for, as opposed to what a persona or a default gave. */
  readonly chosen: readonly ChosenSetting[]
}

/** What a follow-up changes from its turn on. */
export type SettingsOverride = Partial<Omit<AgentSettings, 'backend'>>

/** What the queue knows of an undelivered message. Its text is with the message, not here. */
export interface PendingFollowUp {
  readonly followUpId: string
  readonly hasOverride: boolean
  /** Whether it is meant for the turn in progress. */
  readonly steers?: boolean
  /** How many tasks it will bring, those of a persona included. */
  readonly taskCount: number
  /** What it takes in the queue. */
  readonly bytes: number
  /** Epoch milliseconds; present while deferred. */
  readonly deliverAt?: number
}

/** A message as it was accepted. */
export interface FollowUpBody {
  readonly followUpId: string
  readonly description: string
  readonly tasks: readonly Task[]
  readonly override: SettingsOverride
  /** Tasks that the persona of the override brings; they replace those of the persona before. */
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

export const NO_USAGE: Usage = { costMicros: 0n, inputTokens: 0n, cachedInputTokens: 0n, outputTokens: 0n }

/** What can end a run although its agent has more to do. */
export type RunLimit = '' | 'budget' | 'time' | 'disk'

export interface RunRecord {
  readonly runId: bigint
  readonly attempt: number
  readonly state: 'queued' | 'running' | 'ended'
  /** When it may begin at the earliest; absent for at once. */
  readonly availableAt?: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly stopMode: StopTurnMode
  readonly endReason: RunEndReason
  readonly usage: Usage
  /** Which limit ended it; empty when none did. */
  readonly limit: RunLimit
  /** Attempts that were lost or failed. Not those that were only paused. */
  readonly failures: number
  /** Patterns of pushed files decide which tasks are active; they count for this run only. */
  readonly activeTaskIds: readonly string[]
}

export interface AgentFailure {
  readonly code: string
  readonly message: string
}

/** A branch as the agent's last push to it left it. */
export interface PushedBranch {
  readonly repo: string
  readonly ref: string
  readonly commit: string
}

export interface AgentState {
  /** Stays the same over all lives of the identity. */
  readonly id: string
  readonly identity: AgentIdentity
  readonly incarnation: number
  /** Number of the first event of this life. */
  readonly firstSequence: bigint
  /** Whether this life goes on with the conversation of the one before. */
  readonly resumed?: true
  /** Runs of earlier lives. */
  readonly runsBefore: bigint
  /** Number of the agent's newest event. */
  readonly sequence: bigint
  readonly phase: Phase
  readonly description: string
  readonly expectedOutput: string
  readonly settings: AgentSettings
  readonly autoComplete: boolean
  /** 0: no budget of its own. */
  readonly maxCostMicros: bigint
  /** What earlier lives of this identity and of those below it had spent: it does not count against the budget. */
  readonly costBeforeMicros: bigint
  readonly labels: Labels
  readonly pool: string
  readonly repos: readonly string[]
  readonly tasks: readonly Task[]
  /** Oldest first. */
  readonly queue: readonly PendingFollowUp[]
  readonly deferred: readonly PendingFollowUp[]
  /** The number of the newest run; it only ever grows, over all lives. */
  readonly runCount: bigint
  readonly run?: RunRecord
  readonly usage: Usage
  readonly needsInput: string
  /** Names of the children whose end it waits for. While there are any it is pending without a run. */
  readonly awaits: readonly string[]
  /** Where the backend's conversation is kept, for the runner of the next turn; only runners can read it. */
  readonly session: string
  /** The same of an earlier life that this one does not continue: nobody needs it any more. */
  readonly discarded?: string
  readonly output: string
  readonly lastMessage: string
  readonly error?: AgentFailure
  /** The newest push first; absent until there is one. */
  readonly branches?: readonly PushedBranch[]
  readonly createdAt: number
  readonly endedAt?: number
  readonly progressAt?: number
}

type LivePhase = Exclude<Phase, facts.TerminalPhase>

export function isLive(agent: AgentState | undefined): agent is AgentState & { readonly phase: LivePhase } {
  return agent !== undefined && !facts.isTerminal(agent.phase)
}

/** One text for one agent within a tenant; the root's is what the tree is locked by. */
export function agentKey(identity: AgentIdentity): string {
  return facts.agentKey(identity, identity.path)
}

export function rootKey(identity: AgentIdentity): string {
  return agentKey({ ...identity, path: identity.path.slice(0, 1) })
}

export function parentIdentity(identity: AgentIdentity): AgentIdentity | undefined {
  return identity.path.length > 1 ? { ...identity, path: identity.path.slice(0, -1) } : undefined
}

/** The agent itself or one below it. */
export function isWithin(identity: AgentIdentity, ancestor: AgentIdentity): boolean {
  return agentKey(identity) === agentKey(ancestor) || isDescendant(identity, ancestor)
}

export function isDescendant(identity: AgentIdentity, ancestor: AgentIdentity): boolean {
  return agentKey(identity).startsWith(`${agentKey(ancestor)}/`)
}

import type { Phase } from '@skein/contract'
import type { FollowUpBody } from '@skein/core'

/** The state of a message. The last four are final. */
export type FollowUpState = 'DEFERRED' | 'QUEUED' | 'DELIVERED' | 'CLEARED' | 'REMOVED' | 'DROPPED'

/** Rows to write, by table. Absent parts change nothing. */
export interface TreeRows extends ChangeRows, TreeTotals {}

/** The rows of some of the changes of a command. */
export interface ChangeRows extends RowsBeside {
  readonly agents: readonly AgentRow[]
  readonly events: readonly { agentId: string; sequence: string; event: unknown }[]
}

/** What a command's changes add up to. */
export interface TreeTotals {
  readonly fleet: FleetTally | Readonly<Record<string, never>>
  /** Change in the number of live agents. Absent if none began or ended. */
  readonly liveDelta?: number
  /** Change in the size of pending messages, in bytes. */
  readonly queuedBytesDelta?: number
}

/** Rows besides agents and timelines: messages, runs to claim, timers. */
export interface RowsBeside {
  readonly newFollowUps?: readonly {
    agentId: string
    followUpId: string
    state: Extract<FollowUpState, 'DEFERRED' | 'QUEUED'>
    body: FollowUpBody
    position: string
    /** The span that sent it. */
    traceparent?: string
  }[]
  readonly followUps?: readonly {
    agentId: string
    followUpId: string
    state: Exclude<FollowUpState, 'DEFERRED'>
    runId?: string
    position?: string
  }[]
  readonly queuedRuns?: readonly {
    agentId: string
    agentKey: string
    rootKey: string
    pool: string
    runId: string
    attempt: number
    availableAt: string
    /** Whether the agent had no run before, so there cannot be a lease. */
    isNew: boolean
    /** The span that queued it. Ignored for another attempt of the same run. */
    traceparent?: string
  }[]
  readonly endedRuns?: readonly string[]
  readonly newTimers?: readonly {
    agentId: string
    followUpId: string
    agentKey: string
    rootKey: string
    dueAt: string
  }[]
  readonly endedTimers?: readonly { agentId: string; followUpId: string }[]
}

/** How a command changes the totals of its tree's workspace and owner. */
interface FleetTally {
  /** The root of the tree. Its labels count for all of it. */
  readonly rootKey?: string
  readonly workspace: string
  readonly ownerProvider: string
  readonly account: string
  readonly counts?: Readonly<Record<'pending' | 'running' | 'waiting' | 'asking', number>>
  /** Sorted, so that all commands write them in the same order. */
  readonly hours?: readonly FleetHour[]
  readonly used?: readonly UsedTokens[]
  /** Agents whose model call, if they made one, has ended. */
  readonly settled?: readonly string[]
}

/** What an agent used, of one model. */
export interface UsedTokens {
  readonly at: string
  readonly persona: string
  readonly model: string
  readonly labels: Readonly<Record<string, string>>
  readonly costMicros: string
  readonly inputTokens: string
  readonly cachedInputTokens: string
  readonly outputTokens: string
}

export interface FleetHour extends Readonly<Record<'completed' | 'failed' | 'canceled', number>> {
  readonly hour: string
  readonly costMicros: string
  readonly inputTokens: string
  readonly cachedInputTokens: string
  readonly outputTokens: string
}

interface AgentRow {
  readonly id: string
  readonly key: string
  readonly rootKey: string
  readonly parentKey: string
  readonly ownerProvider: string
  readonly account: string
  readonly workspace: string
  readonly pool: string
  readonly phase: Phase
  readonly isTerminal: boolean
  /** Whether it has ended and runners may still hold data of it. */
  readonly leaves: boolean
  /** Whether its row exists already. */
  readonly isKnown: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly costMicros: string
  readonly state: unknown
  /** What a list shows of it, besides these. */
  readonly listed: unknown
  readonly createdAt: string
  /** Sequences of the events this command adds. */
  readonly firstSequence: string
  readonly lastSequence: string
}

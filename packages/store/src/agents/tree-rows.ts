import type { Phase } from '@skein/contract'
import type { FollowUpBody } from '@skein/core'

/** Where a message is. The last four are ends. */
export type FollowUpState = 'DEFERRED' | 'QUEUED' | 'DELIVERED' | 'CLEARED' | 'REMOVED' | 'DROPPED'

/** Rows that changes of agents make, by table. A part that is absent touches nothing. */
export interface TreeRows extends RowsBeside {
  readonly agents: readonly AgentRow[]
  readonly events: readonly { agentId: string; sequence: string; event: unknown }[]
  readonly fleet: FleetTally | Readonly<Record<string, never>>
  /** How many more agents are alive. */
  readonly liveDelta?: number
  /** How many more bytes of messages wait. */
  readonly queuedBytesDelta?: number
}

/** What is kept beside agents and timelines: messages, runs to claim, timers. */
export interface RowsBeside {
  readonly newFollowUps?: readonly {
    agentId: string
    followUpId: string
    state: Extract<FollowUpState, 'DEFERRED' | 'QUEUED'>
    body: FollowUpBody
    position: string
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
    /** Whether the agent had no other run before, so that nobody can hold a lease for it. */
    isNew: boolean
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

/** What a command changes in the sums of its tree's workspace and owner. */
interface FleetTally {
  readonly workspace: string
  readonly ownerProvider: string
  readonly account: string
  readonly counts?: Readonly<Record<'pending' | 'running' | 'waiting' | 'asking', number>>
  /** In the order of their hours, in which every command writes them. */
  readonly hours?: readonly FleetHour[]
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
  /** Whether it has ended and runners may keep something of it. */
  readonly leaves: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly costMicros: string
  readonly state: unknown
  readonly createdAt: string
  /** Of the events that this command adds. */
  readonly firstSequence: string
  readonly lastSequence: string
}

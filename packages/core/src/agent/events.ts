import type { MessageOrigin, Phase, RunEndReason, StopTurnMode, Task } from '@skein/contract'
import type {
  AgentFailure,
  AgentIdentity,
  AgentSettings,
  AgentState,
  FollowUpBody,
  MeteredUsage,
  RunLimit,
} from './state.ts'

/** Who a message is from. Ids don't tell: callers choose theirs freely. */
export interface Origin {
  readonly origin: MessageOrigin
  /** Its name if the message is from a child, otherwise empty. */
  readonly child: string
}

export const FROM_CALLER: Origin = { origin: 'CALLER', child: '' }
export const FROM_PLATFORM: Origin = { origin: 'PLATFORM', child: '' }

interface ToolCall {
  readonly runId: bigint
  /** The same at the start and at the end of the call. */
  readonly callId: string
  readonly tool: string
  readonly input: string
}

/** What is known about an agent from its first event on. */
type SpawnedAgent = Pick<
  AgentState,
  | 'id'
  | 'identity'
  | 'incarnation'
  | 'resumed'
  | 'description'
  | 'expectedOutput'
  | 'settings'
  | 'autoComplete'
  | 'maxCostMicros'
  | 'costBeforeMicros'
  | 'labels'
  | 'pool'
  | 'repos'
>

/**
 * Everything that can happen to an agent. Both the state and every database row derive from these events: replaying
 * a recorded timeline gives exactly what is stored. Append-only.
 */
export type AgentEvent =
  | ({ readonly type: 'agent.spawned' } & SpawnedAgent)
  | {
      readonly type: 'agent.phase-changed'
      readonly from: Phase
      readonly to: Phase
      readonly needsInput: string
    }
  | { readonly type: 'agent.settings-changed'; readonly settings: AgentSettings }
  | { readonly type: 'agent.budget-changed'; readonly maxCostMicros: bigint }
  | {
      readonly type: 'agent.budget-reached'
      /** 80 or 100. */
      readonly percent: number
      readonly maxCostMicros: bigint
      readonly spentMicros: bigint
    }
  | ({ readonly type: 'follow-up.queued'; readonly followUp: FollowUpBody } & Origin)
  | ({ readonly type: 'follow-up.deferred'; readonly followUp: FollowUpBody } & Origin)
  | { readonly type: 'follow-up.due'; readonly followUpId: string }
  | {
      readonly type: 'follow-up.delivered'
      readonly followUpId: string
      readonly runId: bigint
      /** Whether the agent was told mid-turn. */
      readonly steered: boolean
    }
  | { readonly type: 'follow-up.cleared'; readonly followUpId: string }
  | { readonly type: 'follow-up.removed'; readonly followUpId: string }
  | { readonly type: 'follow-up.dropped'; readonly followUpId: string; readonly cause: string }
  | {
      readonly type: 'run.queued'
      readonly runId: bigint
      readonly attempt: number
      readonly availableAt: number
    }
  | {
      readonly type: 'run.started'
      readonly runId: bigint
      readonly attempt: number
      readonly runner: string
    }
  | { readonly type: 'run.progressed'; readonly runId: bigint; readonly message: string }
  | { readonly type: 'run.message'; readonly runId: bigint; readonly text: string }
  | ({ readonly type: 'run.tool-started' } & ToolCall)
  | ({ readonly type: 'run.tool-called'; readonly output: string; readonly failed: boolean } & ToolCall)
  | {
      readonly type: 'run.pushed'
      readonly runId: bigint
      readonly repo: string
      readonly ref: string
      readonly commit: string
      readonly files: readonly string[]
    }
  | ({ readonly type: 'run.metered'; readonly runId: bigint } & MeteredUsage)
  | { readonly type: 'run.saved'; readonly runId: bigint; readonly session: string }
  | { readonly type: 'run.stop-requested'; readonly runId: bigint; readonly mode: StopTurnMode }
  | { readonly type: 'run.attempt-lost'; readonly runId: bigint; readonly attempt: number }
  | {
      readonly type: 'run.attempt-failed'
      readonly runId: bigint
      readonly attempt: number
      readonly error: AgentFailure
    }
  /** Continues later, on any runner: a provider's rate limit must reset, or the runner is shutting down. */
  | {
      readonly type: 'run.paused'
      readonly runId: bigint
      readonly attempt: number
      readonly until: number
      readonly message: string
    }
  | {
      readonly type: 'run.ended'
      readonly runId: bigint
      readonly reason: RunEndReason
      readonly message: string
      readonly output: string
      readonly limit?: RunLimit
      readonly error?: AgentFailure
    }
  | { readonly type: 'task.created'; readonly task: Task }
  | { readonly type: 'task.updated'; readonly task: Task }
  /** Removed without a trace on the checklist: an ephemeral task after its run, a persona's tasks after a switch. */
  | { readonly type: 'task.removed'; readonly taskId: string }
  | { readonly type: 'task.activated'; readonly taskId: string; readonly runId: bigint }
  | { readonly type: 'child.spawned'; readonly child: AgentIdentity }
  | { readonly type: 'children.awaited'; readonly children: readonly string[] }
  | { readonly type: 'child.phase-changed'; readonly child: AgentIdentity; readonly phase: Phase }

/** An event with its position on the timeline. */
export interface RecordedEvent {
  readonly sequence: bigint
  readonly at: number
  readonly event: AgentEvent
}

import type { AgentFilter } from './agent-filter.ts'
import type { RequestOptions } from './call/connection.ts'
import type { QueueFollowUpRequest, SpawnAgentRequest, StopTurnMode } from './generated/types.ts'
import type { PlainSettings } from './plain-settings.ts'

/**
 * A message's own settings: everything but its text. Those of the persona, model and effort hold from this message
 * on.
 *
 * @example
 * await agent.send('Now as a reviewer.', { persona: 'reviewer', reasoningEffort: 'high', id: 'review-1' })
 */
export interface SendOptions
  extends
    Omit<QueueFollowUpRequest, 'agentId' | 'description' | 'followUpId' | 'agent' | 'outputSchema'>,
    PlainSettings,
    RequestOptions {
  /** Your own id for the message: sending it twice queues it once. */
  readonly id?: string | undefined
}

/**
 * What changes when an agent is continued: everything that is left out stays as it was.
 *
 * @example
 * await agent.continue('Try again.', { maxCost: 20, reasoningEffort: 'high' })
 */
export interface ContinueOptions
  extends
    Omit<SpawnAgentRequest, 'agentId' | 'description' | 'resume' | 'agent' | 'outputSchema'>,
    PlainSettings,
    RequestOptions {}

/**
 * Which turn to stop, and how.
 *
 * @example
 * await agent.stop({ runId: '3', mode: 'STOP_TURN_MODE_INTERRUPT' })
 */
export interface StopOptions extends RequestOptions {
  /** Interrupts when left out, which lets the turn give its answer. */
  readonly mode?: StopTurnMode | undefined
  /** The turn that you mean. Without it, the one that is current at this moment. */
  readonly runId?: string | undefined
}

/**
 * Where in the timeline to begin.
 *
 * @example
 * for await (const event of agent.timeline({ after: '120', pageSize: 50 })) console.log(event.type)
 */
export interface TimelineOptions {
  /** Only events after this sequence number. */
  readonly after?: string | undefined
  readonly pageSize?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Which page of the messages that are not delivered yet.
 *
 * @example
 * const { followUps } = await agent.listFollowUps({ pageSize: 10 })
 */
export interface FollowUpPageOptions extends RequestOptions {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
}

/**
 * A list of agents, page by page.
 *
 * @example
 * for await (const entry of skein.agents({ account: '*', pageSize: 100 })) console.log(entry.phase)
 */
export interface AgentListOptions extends AgentFilter {
  /** How many to ask for at a time. */
  readonly pageSize?: number | undefined
  readonly signal?: AbortSignal | undefined
}

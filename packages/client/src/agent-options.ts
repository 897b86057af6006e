import type { AgentFilter } from './agent-filter.ts'
import type { RequestOptions } from './call/connection.ts'
import type { QueueFollowUpRequest, SpawnAgentRequest, StopTurnMode } from './generated/types.ts'
import type { PlainSettings } from './plain-settings.ts'

/**
 * Options of a message. Persona, model and effort apply from this message on.
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
 * What changes when an agent is continued. Anything left out stays the same.
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
  /** Default: interrupt, which lets the turn give its answer. */
  readonly mode?: StopTurnMode | undefined
  /** The turn to stop. Default: the current one. */
  readonly runId?: string | undefined
}

/**
 * Where to start in the timeline.
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
 * Selects a page of the undelivered messages.
 *
 * @example
 * const { followUps } = await agent.listFollowUps({ pageSize: 10 })
 */
export interface FollowUpPageOptions extends RequestOptions {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
}

/**
 * Selects a page of a diff's files.
 *
 * @example
 * for await (const { path } of agent.diffFiles('5f0c1c1e-7b1f-8a4e-9b0a-3f1c8f0f2d11', { pageSize: 100 })) console.log(path)
 */
export interface DiffPageOptions extends RequestOptions {
  /** Whether to read the hunks too. */
  readonly withPatches?: boolean | undefined
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
  /** Number of entries per request. */
  readonly pageSize?: number | undefined
  readonly signal?: AbortSignal | undefined
}

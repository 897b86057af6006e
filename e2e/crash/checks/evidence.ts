import type { TimelineEvent } from '@skein/contract'
import type { Acknowledged } from '../workload/acknowledged.ts'
import type { AgentTimeline } from './read-timelines.ts'
import type { ExecutedAttempt } from './runner-logs.ts'

/**
 * Everything known about a round once all agents are at rest: what clients were told, what runners did, what was
 * recorded.
 */
export interface Evidence {
  readonly log: readonly Acknowledged[]
  /** Commands sent again with the same key. */
  readonly repeats: readonly { readonly key: string; readonly isSame: boolean }[]
  /** Acknowledged tasks, and whether another server knew them at once. */
  readonly ownWrites: readonly { readonly taskId: string; readonly isKnown: boolean }[]
  /** Paths of messages without a key that were rejected after an unanswered attempt, which may have arrived. */
  readonly uncertain: readonly string[]
  readonly attempts: readonly ExecutedAttempt[]
  readonly timelines: readonly AgentTimeline[]
}

export type EventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>

/** The name of an attempt in this test. */
export function attemptName(path: string, { runId, attempt }: { runId: string; attempt: number }): string {
  return `${path} run ${runId}.${attempt}`
}

/** The name of a message in this test: its id is unique only within its agent. */
export function messageName(path: string, followUpId: string): string {
  return `${path} ${followUpId}`
}

/** How many messages an agent may have accepted without anyone being told. */
export function uncertainAt({ uncertain }: Evidence, path: string): number {
  return uncertain.filter((other) => other === path).length
}

export function eventsAt({ timelines }: Evidence, path: string): readonly TimelineEvent[] {
  return timelines.find((timeline) => timeline.path === path)?.events ?? []
}

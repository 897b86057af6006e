import type { TimelineEvent } from '@skein/contract'
import type { Acknowledged } from '../workload/acknowledged.ts'
import type { AgentTimeline } from './read-timelines.ts'
import type { ExecutedAttempt } from './runner-logs.ts'

/** What is known of a round once everything is at rest: what clients were told, what runners did, what was recorded. */
export interface Evidence {
  readonly log: readonly Acknowledged[]
  /** Commands that were sent again with the same key. */
  readonly repeats: readonly { readonly key: string; readonly isSame: boolean }[]
  /** Paths of messages without a key that were refused after a try without an answer: they may have arrived all the same. */
  readonly uncertain: readonly string[]
  readonly attempts: readonly ExecutedAttempt[]
  readonly timelines: readonly AgentTimeline[]
}

export type EventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>

/** An attempt as everyone names it here. */
export function attemptName(path: string, { runId, attempt }: { runId: string; attempt: number }): string {
  return `${path} run ${runId}.${attempt}`
}

/** A message as everyone names it here: its id is unique only within its agent. */
export function messageName(path: string, followUpId: string): string {
  return `${path} ${followUpId}`
}

/** How many messages an agent may have accepted although nobody was told so. */
export function uncertainAt({ uncertain }: Evidence, path: string): number {
  return uncertain.filter((other) => other === path).length
}

export function eventsAt({ timelines }: Evidence, path: string): readonly TimelineEvent[] {
  return timelines.find((timeline) => timeline.path === path)?.events ?? []
}

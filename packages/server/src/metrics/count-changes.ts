import { queuedMs, type AgentChange, type AgentEvent } from '@skein/core'

/** Where the counts of a change go. */
export interface RunCounts {
  ended(reason: string): void
  retried(cause: string): void
  started(queuedMs: number): void
  stopped(tookMs: number): void
  delivered(lateMs: number): void
}

/** Why a run is queued again. */
const CAUSES: Readonly<Partial<Record<AgentEvent['type'], string>>> = {
  'run.attempt-lost': 'lost',
  'run.attempt-failed': 'failed',
  'run.paused': 'paused',
}

/** What commands did, read from their events: no command has to know that it is counted. */
export function countChanges(changes: readonly AgentChange[], counts: RunCounts): void {
  for (const { before, events } of changes) {
    let cause = 'failed'
    for (const { event, at } of events) {
      cause = CAUSES[event.type] ?? cause
      if (event.type === 'run.queued' && event.attempt > 1) counts.retried(cause)
      if (event.type === 'run.started') counts.started(queuedMs(before?.run, at))
      if (event.type === 'run.ended') {
        counts.ended(event.reason)
        const since = before?.run?.stopRequestedAt
        if (since !== undefined) counts.stopped(at - since)
      }
      if (event.type === 'follow-up.due') {
        const message = before?.deferred.find(({ followUpId }) => followUpId === event.followUpId)
        if (message?.deliverAt !== undefined) counts.delivered(Math.max(0, at - message.deliverAt))
      }
    }
  }
}

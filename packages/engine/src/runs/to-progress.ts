import type { HeartbeatRun } from '@skein/contract'
import type { ProgressEvent, SteerReport } from '@skein/core'
import type { LeaseRef } from '@skein/store'

export function toProgress(
  events: HeartbeatRun['events'] = [],
  { runId }: Pick<LeaseRef, 'runId'>,
): (ProgressEvent | SteerReport)[] {
  return events.map((event) => (event.type === 'run.steered' ? event : { ...event, runId }))
}

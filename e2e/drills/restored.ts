import type { AgentTimeline } from '../crash/checks/read-timelines.ts'
import type { Report } from '../crash/report.ts'
import type { Acknowledged } from '../crash/workload/acknowledged.ts'

/** How much of what clients were told is there after a restore to a moment. */
export interface RestoredCounts {
  readonly acknowledgedBefore: number
  readonly restored: number
  readonly sentAfter: number
  readonly foundAfter: number
}

/** Everything acknowledged before that moment is there, and nothing sent after it. In between, both are right. */
export function checkRestored(
  report: Report,
  log: readonly Acknowledged[],
  { time, timelines }: { time: Date; timelines: readonly AgentTimeline[] },
): RestoredCounts {
  const traces = new Set(timelines.flatMap(tracesOf))
  const left = log.flatMap((entry) => {
    const trace = traceOf(entry)
    return trace === undefined ? [] : [{ trace, entry, isThere: traces.has(trace) }]
  })
  const before = left.filter(({ entry }) => entry.answeredAt < time.getTime())
  const after = left.filter(({ entry }) => entry.sentAt > time.getTime())
  const found = after.filter(({ isThere }) => isThere)
  report.check(
    'lost',
    'everything acknowledged before the restored moment is there',
    before.length,
    before.filter(({ isThere }) => !isThere).map(({ trace }) => trace),
  )
  report.check(
    'wrong',
    'nothing that was sent after the restored moment is there',
    after.length,
    found.map(({ trace }) => trace),
  )
  return {
    acknowledgedBefore: before.length,
    restored: before.filter(({ isThere }) => isThere).length,
    sentAfter: after.length,
    foundAfter: found.length,
  }
}

/** What a command leaves on a timeline. Some leave nothing that is theirs alone. */
function traceOf(entry: Acknowledged): string | undefined {
  if (entry.command === 'spawn' || entry.command === 'queue')
    return `${entry.path} message ${entry.followUpId}`
  if (entry.command === 'tasks') return `${entry.path} task ${entry.taskId}`
  if (entry.command === 'remove' && entry.removed) return `${entry.path} removed ${entry.followUpId}`
  return undefined
}

function tracesOf({ path, events }: AgentTimeline): string[] {
  return events.flatMap((event) => {
    if (event.type === 'follow-up.queued' || event.type === 'follow-up.deferred') {
      return [`${path} message ${event.followUp.followUpId}`]
    }
    if (event.type === 'task.created') return [`${path} task ${event.task.id}`]
    if (event.type === 'follow-up.removed') return [`${path} removed ${event.followUpId}`]
    return []
  })
}

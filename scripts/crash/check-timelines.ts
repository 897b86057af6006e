import type { TimelineEvent } from '@skein/contract'
import type { Acknowledged } from './client.ts'
import type { Report } from './report.ts'
import type { AgentTimeline } from './timelines.ts'

/** What must hold in every timeline, whoever sent what. */
export function checkTimelines(
  report: Report,
  timelines: readonly AgentTimeline[],
  log: readonly Acknowledged[],
): void {
  const each = (guarantee: string, problemsOf: (events: readonly TimelineEvent[]) => string[]): void =>
    report.check(
      guarantee,
      timelines.length,
      timelines.flatMap(({ path, events }) => problemsOf(events).map((problem) => `${path}: ${problem}`)),
    )
  each('every timeline is numbered without a gap', numberingProblems)
  each('no message was delivered twice, and each came to one end', messageProblems)
  each('attempts follow one another, never two at once', attemptProblems)
  each('every run ended once', endProblems)
  const deferred = log.filter((entry) => entry.command === 'queue' && entry.deliverAt !== undefined)
  const dueTimes = new Map(
    timelines.flatMap(({ path, events }) =>
      events.flatMap((event): [string, number][] =>
        event.type === 'follow-up.due' ? [[`${path} ${event.followUpId}`, Date.parse(event.time)]] : [],
      ),
    ),
  )
  report.check(
    'no deferred message came before its time',
    deferred.length,
    deferred.flatMap((entry) => {
      if (entry.command !== 'queue') return []
      const at = dueTimes.get(`${entry.path} ${entry.followUpId}`)
      return at !== undefined && at < (entry.deliverAt ?? 0) ? [`${entry.followUpId} at ${at}`] : []
    }),
  )
}

function numberingProblems(events: readonly TimelineEvent[]): string[] {
  const at = events.findIndex(({ sequence }, index) => sequence !== String(index + 1))
  return at === -1 ? [] : [`event ${at + 1} has the number ${events[at]?.sequence}`]
}

const ENDS = new Set(['follow-up.delivered', 'follow-up.cleared', 'follow-up.removed', 'follow-up.dropped'])

function messageProblems(events: readonly TimelineEvent[]): string[] {
  const ends = new Map<string, string[]>()
  for (const event of events) {
    if (event.type === 'follow-up.queued' || event.type === 'follow-up.deferred') {
      ends.set(event.followUp.followUpId, [])
    } else if (ENDS.has(event.type) && 'followUpId' in event) {
      ends.get(event.followUpId)?.push(event.type)
    }
  }
  return [...ends].flatMap(([id, types]) =>
    types.length === 1 ? [] : [`${id}: ${types.join(', ') || 'no end'}`],
  )
}

function attemptProblems(events: readonly TimelineEvent[]): string[] {
  const problems: string[] = []
  let open: string | undefined
  const last = { runId: 0n, attempt: 0 }
  for (const event of events) {
    if (event.type === 'run.started') {
      const runId = BigInt(event.runId)
      const isNext = runId === last.runId ? event.attempt === last.attempt + 1 : runId > last.runId
      const name = `${event.runId}.${event.attempt}`
      if (open !== undefined) problems.push(`${name} started while ${open} was open`)
      if (!isNext || (runId > last.runId && event.attempt !== 1)) problems.push(`${name} after ${last.runId}`)
      Object.assign(last, { runId, attempt: event.attempt })
      open = name
    } else if (event.type === 'run.attempt-lost' || event.type === 'run.attempt-failed') {
      if (open !== `${event.runId}.${event.attempt}`)
        problems.push(`${event.type} of ${event.runId}, not open`)
      open = undefined
    } else if (event.type === 'run.ended') {
      if (open !== undefined && !open.startsWith(`${event.runId}.`))
        problems.push(`${open} was open at an end`)
      open = undefined
    }
  }
  return open === undefined ? problems : [...problems, `${open} is still open`]
}

function endProblems(events: readonly TimelineEvent[]): string[] {
  const queued = new Set(events.flatMap((event) => (event.type === 'run.queued' ? [event.runId] : [])))
  const ended = events.flatMap((event) => (event.type === 'run.ended' ? [event.runId] : []))
  const twice = ended.filter((runId, index) => ended.indexOf(runId) !== index)
  const never = [...queued].filter((runId) => !ended.includes(runId))
  return [
    ...twice.map((runId) => `run ${runId} ended twice`),
    ...never.map((runId) => `run ${runId} never ended`),
  ]
}

import type { TimelineEvent } from '@skein/contract'
import type { Fault, Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { messageName, type Evidence } from './evidence.ts'

/** What must hold for every timeline. */
export function checkTimelines(report: Report, { timelines, log }: Evidence): void {
  const each = (
    fault: Fault,
    guarantee: string,
    problemsOf: (events: readonly TimelineEvent[]) => string[],
  ): void =>
    report.check(
      fault,
      guarantee,
      timelines.length,
      timelines.flatMap(({ path, events }) => problemsOf(events).map((problem) => `${path}: ${problem}`)),
    )
  each('lost', 'every timeline is numbered without a gap', numberingProblems)
  each('lost', 'every message came to an end', (events) => endsOf(events, (ends) => ends.length === 0))
  each('doubled', 'no message was delivered twice, or came to two ends', (events) =>
    endsOf(events, (ends) => ends.length > 1),
  )
  each('doubled', 'attempts follow one another, never two at once', attemptProblems)
  each('doubled', 'no run ended twice', (events) => runsEnded(events, (times) => times > 1))
  each('stuck', 'every run ended', (events) => runsEnded(events, (times) => times === 0))
  const dueTimes = new Map(
    timelines.flatMap(({ path, events }) =>
      events.flatMap((event): [string, number][] =>
        event.type === 'follow-up.due' ? [[messageName(path, event.followUpId), Date.parse(event.time)]] : [],
      ),
    ),
  )
  const deferred = acknowledgedAs(log, 'queue').filter(({ deliverAt }) => deliverAt !== undefined)
  report.check(
    'wrong',
    'no deferred message was due before its time',
    deferred.length,
    deferred.flatMap(({ path, followUpId, deliverAt = 0 }) => {
      const at = dueTimes.get(messageName(path, followUpId))
      return at !== undefined && at < deliverAt ? [`${followUpId} at ${at}`] : []
    }),
  )
}

function numberingProblems(events: readonly TimelineEvent[]): string[] {
  const at = events.findIndex(({ sequence }, index) => sequence !== String(index + 1))
  return at === -1 ? [] : [`event ${at + 1} has the number ${events[at]?.sequence}`]
}

const ENDS = new Set(['follow-up.delivered', 'follow-up.cleared', 'follow-up.removed', 'follow-up.dropped'])

/** Messages whose ends match. */
function endsOf(events: readonly TimelineEvent[], isSuch: (ends: readonly string[]) => boolean): string[] {
  const ends = new Map<string, string[]>()
  for (const event of events) {
    if (event.type === 'follow-up.queued' || event.type === 'follow-up.deferred') {
      ends.set(event.followUp.followUpId, [])
    } else if (ENDS.has(event.type) && 'followUpId' in event) {
      ends.get(event.followUpId)?.push(event.type)
    }
  }
  return [...ends].flatMap(([id, types]) => (isSuch(types) ? [`${id}: ${types.join(', ') || 'no end'}`] : []))
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
    } else if (
      event.type === 'run.attempt-lost' ||
      event.type === 'run.attempt-failed' ||
      event.type === 'run.paused'
    ) {
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

/** Runs whose number of ends matches. */
function runsEnded(events: readonly TimelineEvent[], isSuch: (times: number) => boolean): string[] {
  const times = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'run.queued') times.set(event.runId, times.get(event.runId) ?? 0)
    if (event.type === 'run.ended') times.set(event.runId, (times.get(event.runId) ?? 0) + 1)
  }
  return [...times].flatMap(([runId, amount]) => (isSuch(amount) ? [`run ${runId}: ${amount} ends`] : []))
}

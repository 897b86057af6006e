import type { Report } from '../../crash/report.ts'
import type { StartedAgent } from '../read-agents.ts'
import { MOST_CAUGHT_UP, SCHEDULES, stampOf, timesOf, type PlannedSchedule } from './planned-schedules.ts'

/** A row of the log of firings. */
export interface Firing {
  readonly schedule: string
  readonly dueAt: number
  readonly outcome: string
  readonly detail: string
  readonly recordedAt: number
  readonly endedAt: number | undefined
}

export interface ScheduleEvidence {
  readonly startAt: number
  /** Everything due in this time is decided. */
  readonly decided: { readonly after: number; readonly until: number }
  readonly firings: readonly Firing[]
  readonly agents: ReadonlyMap<string, StartedAgent>
  readonly messages: ReadonlyMap<string, number>
}

/** How many firings had which outcome. */
export type ScheduleFigures = Readonly<Record<string, number>>

/** A firing that is this late was missed. */
const MISSED_AFTER_MS = 10_000
/** So many firings of a schedule can wait. */
const MOST_WAITING = 100
/** An agent's end may take this long to be seen, on a busy machine. */
const SEEN_WITHIN_MS = 5_000

export function checkSchedules(report: Report, evidence: ScheduleEvidence): ScheduleFigures {
  for (const schedule of SCHEDULES) {
    const firings = evidence.firings.filter((firing) => firing.schedule === schedule.name)
    checkTimes(report, evidence, schedule, firings)
    if (schedule.does === 'send') checkMessages(report, evidence, schedule, firings)
    else checkAgents(report, evidence, schedule, firings)
    if (schedule.does === 'spawn') checkOverlap(report, evidence, schedule, firings)
  }
  const outcomes = Map.groupBy(evidence.firings, ({ outcome }) => outcome)
  return Object.fromEntries([...outcomes].map(([outcome, { length }]) => [outcome, length]))
}

function nameOf({ schedule, dueAt }: Pick<Firing, 'schedule' | 'dueAt'>): string {
  return `${schedule}-${stampOf(dueAt)}`
}

/** Every time that a schedule names has one firing, or there is a record that says why not. */
function checkTimes(
  report: Report,
  { startAt, decided }: ScheduleEvidence,
  schedule: PlannedSchedule,
  firings: readonly Firing[],
): void {
  const { name, everyMs, catchUp } = schedule
  const isNamed = ({ dueAt }: Firing) => dueAt >= startAt && (dueAt - startAt) % everyMs === 0
  report.check(
    'wrong',
    'a firing has a time that its schedule names',
    firings.length,
    firings
      .filter((firing) => !isNamed(firing))
      .map((firing) => `${name} ${new Date(firing.dueAt).toJSON()}`),
  )
  const recorded = new Set(firings.map(({ dueAt }) => dueAt))
  const missed = firings.filter(({ outcome }) => outcome === 'missed')
  const times = timesOf(schedule, startAt, decided)
  // Of what was missed, the newest so many are caught up on.
  const caughtUp = { none: 0, latest: 1, all: MOST_CAUGHT_UP }[catchUp]
  const mayBeLeftOut = (time: number) =>
    missed.some(({ dueAt, recordedAt }) => {
      const missedUntil = recordedAt - MISSED_AFTER_MS
      return time >= dueAt && time + caughtUp * everyMs <= missedUntil
    })
  report.check(
    'lost',
    'no firing was left out, unless the schedule says so',
    times.length,
    times
      .filter((time) => !recorded.has(time) && !mayBeLeftOut(time))
      .map((time) => nameOf({ schedule: name, dueAt: time })),
  )
  report.check(
    'wrong',
    'only a firing that is late was missed, and none of those to catch up on',
    missed.length,
    missed.filter(({ dueAt }) => !mayBeLeftOut(dueAt)).map(nameOf),
  )
  report.check(
    'wrong',
    'no firing failed',
    firings.length,
    firings
      .filter(({ outcome }) => outcome === 'failed')
      .map((firing) => `${nameOf(firing)} ${firing.detail}`),
  )
}

/** Exactly the firings that started an agent have one, which was started once. */
function checkAgents(
  report: Report,
  { agents }: ScheduleEvidence,
  { name }: PlannedSchedule,
  firings: readonly Firing[],
): void {
  const started = firings.filter(({ outcome }) => outcome === 'started').map(nameOf)
  const isOpen = new Set(firings.filter(({ outcome }) => outcome === 'starting').map(nameOf))
  report.check(
    'lost',
    'every firing that is said to have started an agent did',
    started.length,
    started.filter((agent) => !agents.has(agent)),
  )
  const known = new Set(started)
  const own = [...agents.values()].filter((agent) => agent.name.startsWith(`${name}-2`))
  report.check('doubled', 'each firing started its agent once', own.length, [
    ...own.filter(({ lives }) => lives !== 1).map((agent) => `${agent.name}: ${agent.lives} times`),
    ...own
      .filter((agent) => !known.has(agent.name) && !isOpen.has(agent.name))
      .map((agent) => `${agent.name} without a firing`),
  ])
}

/** Each firing sent its message once. */
function checkMessages(
  report: Report,
  { messages }: ScheduleEvidence,
  { name }: PlannedSchedule,
  firings: readonly Firing[],
): void {
  const sent = firings.filter(({ outcome }) => outcome === 'sent')
  const idOf = ({ dueAt }: Firing) => `schedule:${name}:${stampOf(dueAt)}`
  report.check(
    'lost',
    'every firing that is said to have sent a message did',
    sent.length,
    sent.map(idOf).filter((id) => !messages.has(id)),
  )
  const known = new Set(
    firings.filter(({ outcome }) => outcome === 'sent' || outcome === 'starting').map(idOf),
  )
  const own = [...messages].filter(([id]) => id.startsWith(`schedule:${name}:`))
  report.check(
    'doubled',
    'each firing sent its message once',
    own.length,
    own.filter(([id, times]) => times !== 1 || !known.has(id)).map(([id, times]) => `${id}: ${times} times`),
  )
}

/** Only `allow` has two agents at the same time, and only `skip` leaves firings out. */
function checkOverlap(
  report: Report,
  { agents }: ScheduleEvidence,
  { overlap }: PlannedSchedule,
  firings: readonly Firing[],
): void {
  const together: string[] = []
  const skipped: string[] = []
  let previous: StartedAgent | undefined
  for (const firing of firings) {
    const agent = firing.outcome === 'started' ? agents.get(nameOf(firing)) : undefined
    if (agent && previous && (previous.endedAt === undefined || previous.endedAt > agent.spawnedAt)) {
      together.push(`${previous.name} was alive when ${agent.name} started`)
    }
    const isWaiting = (each: Firing) =>
      each.dueAt < firing.dueAt && (each.endedAt ?? Infinity) >= (firing.endedAt ?? 0)
    const isFull =
      firing.detail.includes('waiting already') && firings.filter(isWaiting).length >= MOST_WAITING
    if (firing.outcome === 'skipped' && !maySkip(overlap, firing, isFull ? 'full' : previous)) {
      skipped.push(nameOf(firing))
    }
    if (agent) previous = agent
  }
  if (overlap !== 'allow') {
    report.check('wrong', `${overlap}: never two agents at a time`, firings.length, together)
  }
  report.check('wrong', `${overlap}: a firing was skipped only if it may be`, firings.length, skipped)
}

/** Any policy but `skip` lets firings wait, up to a limit: after an outage, and while one of them is retried. */
function maySkip(
  overlap: PlannedSchedule['overlap'],
  { endedAt = 0 }: Firing,
  previous: StartedAgent | 'full' | undefined,
): boolean {
  if (previous === 'full') return overlap !== 'skip'
  if (overlap !== 'skip' || !previous) return false
  return previous.endedAt === undefined || previous.endedAt > endedAt - SEEN_WITHIN_MS
}

import type { FiringTime, ScheduleTiming } from './schedule-timing.ts'

/** A firing that is later than this was missed: the servers or the database were down. Normal delays are shorter. */
export const MISSED_AFTER_MS = 10_000
/** Of one look. More than an interval of a second can have that were not missed. */
const MOST_ON_TIME = 100

export interface CatchUp {
  readonly policy: 'none' | 'latest' | 'all'
  /** Firings missed longer ago are dropped. */
  readonly windowMs: number
  /** Policy `all`: how many at most, the newest ones. */
  readonly max: number
}

export interface DueFirings {
  /** To carry out, oldest first. */
  readonly fire: readonly FiringTime[]
  /** The first firing that was dropped, if any. */
  readonly missedFrom: number | undefined
  /** Everything due up to here is decided. */
  readonly decidedUntil: number
  /** The first firing after these. */
  readonly next: FiringTime | undefined
}

/** Decides which of the firings due after `decidedUntil` are carried out now. */
export function dueFirings(
  timing: ScheduleTiming,
  catchUp: CatchUp,
  decidedUntil: number,
  now: number,
): DueFirings {
  const first = timing.next(decidedUntil)
  if (!first || first.startAt > now) return { fire: [], missedFrom: undefined, decidedUntil, next: first }
  const missedUntil = now - MISSED_AFTER_MS
  if (first.startAt > missedUntil)
    return { missedFrom: undefined, ...onTime(timing, first, decidedUntil, now) }
  const { caughtUp, delayed } = catchUpOn(timing, catchUp, decidedUntil, missedUntil)
  const rest = delayed
    ? onTime(timing, delayed, delayed.dueAt - 1, now)
    : onTime(timing, timing.next(missedUntil), missedUntil, now)
  return {
    ...rest,
    fire: [...caughtUp, ...rest.fire],
    missedFrom: caughtUp[0]?.dueAt === first.dueAt ? undefined : first.dueAt,
  }
}

function onTime(
  timing: ScheduleTiming,
  first: FiringTime | undefined,
  decidedBefore: number,
  now: number,
): Pick<DueFirings, 'fire' | 'decidedUntil' | 'next'> {
  const fire: FiringTime[] = []
  let next = first
  while (next && next.startAt <= now && fire.length < MOST_ON_TIME) {
    fire.push(next)
    next = timing.next(next.dueAt)
  }
  return { fire, decidedUntil: fire.at(-1)?.dueAt ?? decidedBefore, next }
}

/** `delayed` was due before, but its jitter made it wait: it was not missed. */
function catchUpOn(
  timing: ScheduleTiming,
  { policy, windowMs, max }: CatchUp,
  decidedUntil: number,
  missedUntil: number,
): { caughtUp: readonly FiringTime[]; delayed: FiringTime | undefined } {
  const wanted = policy === 'none' ? 0 : policy === 'latest' ? 1 : max
  const from = Math.max(decidedUntil, missedUntil - Math.max(windowMs, timing.jitterMs))
  const past = timing.last(from, missedUntil, wanted + 1)
  const missed = past.filter(({ dueAt, startAt }) => startAt <= missedUntil && dueAt > missedUntil - windowMs)
  return {
    caughtUp: missed.slice(Math.max(0, missed.length - wanted)),
    delayed: past.find(({ startAt }) => startAt > missedUntil),
  }
}

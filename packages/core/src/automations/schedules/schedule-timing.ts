import { parseDuration, parseTimestamp } from '@skein/contract'
import { parseCron, type CronExpression } from './cron-expression.ts'
import { jitterOf } from './jitter.ts'
import { nextCronFiring } from './next-cron-firing.ts'

/** When a schedule fires, as its document says. */
export interface TimingFields {
  readonly cron?: string
  readonly every?: string
  readonly timeZone: string
  readonly jitter: string
  readonly startTime?: string
  readonly endTime?: string
}

/** Where an interval without a start begins, and what makes the jitter of two schedules differ. */
export interface TimingFacts {
  readonly anchorAt: number
  readonly jitterSeed: string
}

/** A time at which a schedule fires. */
export interface FiringTime {
  /** The time the document names, which identifies the firing. */
  readonly dueAt: number
  /** With jitter: when it is carried out. */
  readonly startAt: number
}

export class ScheduleTiming {
  readonly #next: (after: number) => number | undefined
  readonly #jitterMs: number
  readonly #seed: string
  readonly #startAt: number
  readonly #endAt: number

  /** The fields have been checked: see timingViolations. */
  constructor(fields: TimingFields, { anchorAt, jitterSeed }: TimingFacts) {
    this.#jitterMs = parseDuration(fields.jitter) ?? 0
    this.#seed = jitterSeed
    this.#startAt = instantOf(fields.startTime) ?? -Infinity
    this.#endAt = instantOf(fields.endTime) ?? Infinity
    this.#next = fields.every
      ? everyAfter(parseDuration(fields.every) ?? 0, instantOf(fields.startTime) ?? anchorAt)
      : cronAfter(parseCron(fields.cron ?? ''), fields.timeZone)
  }

  /** The first firing due after an instant; undefined if there is none. */
  next(after: number): FiringTime | undefined {
    const dueAt = this.#next(Math.max(after, this.#startAt - 1))
    if (dueAt === undefined || dueAt > this.#endAt) return undefined
    return { dueAt, startAt: this.#jitterMs === 0 ? dueAt : dueAt + this.#jitterAt(dueAt) }
  }

  /** Never later than the next firing, so that firings start in the order of their times. */
  #jitterAt(dueAt: number): number {
    const following = this.#next(dueAt) ?? Infinity
    return jitterOf(`${this.#seed}/${dueAt}`, Math.min(this.#jitterMs, following - dueAt))
  }

  get jitterMs(): number {
    return this.#jitterMs
  }

  upcoming(after: number, amount: number): FiringTime[] {
    const firings: FiringTime[] = []
    for (let at = this.next(after); at && firings.length < amount; at = this.next(at.dueAt)) firings.push(at)
    return firings
  }

  /** The last firings due after `from` up to `until`, oldest first. Looks back step by step: a long time costs little. */
  last(from: number, until: number, amount: number): FiringTime[] {
    for (let lookBackMs = 60_000; ; lookBackMs *= 2) {
      const after = Math.max(from, until - lookBackMs)
      const firings: FiringTime[] = []
      for (let at = this.next(after); at && at.dueAt <= until; at = this.next(at.dueAt)) firings.push(at)
      if (firings.length >= amount || after === from) return firings.slice(-amount)
    }
  }
}

function cronAfter(expression: CronExpression, zone: string): (after: number) => number | undefined {
  return (after) => nextCronFiring(expression, zone, after)
}

/** Counted from the anchor, so that a late firing delays none of the next. The anchor itself is a firing. */
function everyAfter(everyMs: number, anchorAt: number): (after: number) => number {
  return (after) => (after < anchorAt ? anchorAt : after + everyMs - modulo(after - anchorAt, everyMs))
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}

function instantOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : parseTimestamp(time)
}

import { parseDuration, parseTimestamp, type FieldViolation } from '@skein/contract'
import { CronError, parseCron } from './cron-expression.ts'
import { nextCronFiring } from './next-cron-firing.ts'
import type { TimingFields } from './schedule-timing.ts'
import { isTimeZone } from './zone-offsets.ts'

const MIN_EVERY_MS = 1000
const MAX_EVERY_MS = 366 * 24 * 60 * 60 * 1000
const MAX_JITTER_MS = 60 * 60 * 1000

/** What is wrong with the times of a schedule, beyond what its schema says. */
export function* timingViolations(fields: TimingFields): Generator<FieldViolation> {
  const hasCron = Boolean(fields.cron)
  const hasEvery = Boolean(fields.every)
  if (hasCron === hasEvery) yield { field: 'cron', description: 'set either cron or every' }
  const isZone = isTimeZone(fields.timeZone)
  if (!isZone) yield { field: 'timeZone', description: 'must be an IANA time zone such as Europe/Berlin' }
  if (hasCron) yield* cronViolations(fields.cron ?? '', isZone ? fields.timeZone : 'UTC')
  if (hasEvery) yield* spanViolation('every', fields.every, MIN_EVERY_MS, MAX_EVERY_MS)
  yield* spanViolation('jitter', fields.jitter, 0, MAX_JITTER_MS)
  const start = fields.startTime === undefined ? undefined : parseTimestamp(fields.startTime)
  const end = fields.endTime === undefined ? undefined : parseTimestamp(fields.endTime)
  if (start !== undefined && end !== undefined && end < start) {
    yield { field: 'endTime', description: 'must not be before startTime' }
  }
}

function* cronViolations(cron: string, zone: string): Generator<FieldViolation> {
  try {
    if (nextCronFiring(parseCron(cron), zone, ANY_TIME) !== undefined) return
    yield { field: 'cron', description: 'never fires: there is no such day' }
  } catch (error) {
    if (!(error instanceof CronError)) throw error
    yield { field: 'cron', description: error.message }
  }
}

/** The calendar repeats. */
const ANY_TIME = Date.UTC(2026, 0, 1)

function* spanViolation(
  field: string,
  text: string | undefined,
  leastMs: number,
  mostMs: number,
): Generator<FieldViolation> {
  const spanMs = parseDuration(text ?? '')
  if (spanMs !== undefined && spanMs >= leastMs && spanMs <= mostMs) return
  yield { field, description: `must be from ${leastMs / 1000}s to ${mostMs / 1000}s` }
}

import { SkeinError, type Documents } from '@skein/contract'
import { effectiveQuota, parseOwnOrBuiltIn, type Ceiling, type Document } from '@skein/core'
import { CatalogStore, ScheduleStore, type Transaction } from '@skein/store'

/** The fields that decide when it fires. */
const TIMING: readonly (keyof Documents['schedule'])[] = ['cron', 'every', 'timeZone', 'startTime', 'endTime']

interface WrittenSchedule {
  readonly name: string
  readonly document: Document
  /** Absent if it did not exist. */
  readonly before: Document | undefined
  readonly createdAt: number
  readonly now: number
  readonly ceiling: Ceiling
}

/**
 * Starts a schedule that was written, in the same transaction. A change of its times counts from now on, and so does
 * the end of a pause. Other changes leave firings that are just due alone.
 */
export async function armSchedule(transaction: Transaction, written: WrittenSchedule): Promise<void> {
  const { name, document, before, now } = written
  const schedules = new ScheduleStore(transaction)
  await schedules.arm(name, {
    // Whole seconds, as in the names of agents.
    anchoredAt: Math.floor(written.createdAt / 1000) * 1000,
    now,
    startsOver:
      !before || before['paused'] === true || TIMING.some((field) => before[field] !== document[field]),
  })
  if (!before) await requireRoom(transaction, await schedules.count(), written.ceiling)
}

async function requireRoom(transaction: Transaction, amount: number, ceiling: Ceiling): Promise<void> {
  const own = (await new CatalogStore(transaction).find({ kind: 'quota', name: 'default' }))?.document
  const { schedules } = effectiveQuota(parseOwnOrBuiltIn('quota', 'default', own), ceiling)
  if (amount <= schedules) return
  throw new SkeinError('QUOTA_EXCEEDED', {
    message: `The limit schedules of ${schedules} has been reached.`,
    metadata: { limit: 'schedules', value: schedules.toString() },
    retryDelayMs: 10_000,
  })
}

export function disarmSchedule(transaction: Transaction, name: string): Promise<void> {
  return new ScheduleStore(transaction).disarm(name)
}

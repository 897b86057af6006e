import type { Documents } from '@skein/contract'
import type { Ceiling, Document } from '@skein/core'
import { ScheduleStore, type Transaction } from '@skein/store'
import { requireRoom } from './require-room.ts'

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
  if (before) return
  const { ceiling } = written
  await requireRoom(transaction, { kind: 'schedule', count: () => schedules.count(), ceiling })
}

export function disarmSchedule(transaction: Transaction, name: string): Promise<void> {
  return new ScheduleStore(transaction).disarm(name)
}

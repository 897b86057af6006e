import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEvent } from '@skein/contract'
import { findArrivedAt, type AuditFilter, type ListedAudit } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { auditTopic, tenantTopic } from '../wakeups.ts'
import { formatAuditCursor, readAuditCursor, type WatchedUntil } from './audit-cursor.ts'
import { toEntry } from './list-audit.ts'

const LOOK_EVERY_MS = 500

/** No entry of a time comes before it. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** As often as keep-alives. Otherwise a narrow watch would reconnect far behind. */
const TELL_POSITION_EVERY_MS = 15_000

interface AuditWatch {
  readonly filter: Omit<AuditFilter, 'until'>
  /** A cursor; empty means from the filter's time on, or from now on without one. */
  readonly after: string
  readonly signal: AbortSignal
}

/** The position of a watch that had nothing to report. */
export interface AuditWatchPosition {
  readonly cursor: string
}

export function isAuditEvent(told: AuditEvent | AuditWatchPosition): told is AuditEvent {
  return 'entry' in told
}

/** Every entry once, as soon as it is committed. They are read from the table: nothing is buffered. */
export async function watchAudit(
  engine: EngineResources,
  tenantId: string,
  watch: AuditWatch,
): Promise<AsyncGenerator<AuditEvent | AuditWatchPosition>> {
  const { from } = watch.filter
  const now = engine.clock.now()
  const snapshot = await engine.auditFeed.snapshot(tenantId)
  const isFromBefore = from !== undefined && from < now
  const start = {
    progress: snapshot,
    at: now,
    history: isFromBefore ? { micros: BigInt(from) * 1000n, id: FIRST_ID } : undefined,
  }
  const arrivedAt = await engine.database.forTenant(tenantId, findArrivedAt)
  const place = readAuditCursor({ cell: engine.cell, arrivedAt }, watch.after, snapshot)
  return follow(engine, tenantId, watch, place ?? start)
}

async function* follow(
  engine: EngineResources,
  tenantId: string,
  { filter, signal }: AuditWatch,
  start: WatchedUntil,
): AsyncGenerator<AuditEvent | AuditWatchPosition> {
  let reached = start
  let toldAt = engine.clock.now()
  const waiter = engine.wakeups.waiter([tenantTopic(tenantId), auditTopic(tenantId)], { signal })
  try {
    while (!signal.aborted) {
      const rested = pause(LOOK_EVERY_MS, undefined, { signal })
      // Awaited below. Without this, a disconnect in the meantime would be an unhandled rejection.
      rested.catch(() => undefined)
      const now = engine.clock.now()
      const batch = await engine.auditFeed.after(tenantId, reached, now)
      for (const { entry, reached: place } of batch.entries) {
        if (!matches(entry, filter)) continue
        toldAt = now
        yield { entry: toEntry(entry), cursor: formatAuditCursor(engine.cell, place) }
      }
      const isHistory = reached.history !== undefined
      reached = batch.reached
      if (now - toldAt >= TELL_POSITION_EVERY_MS && !signal.aborted) {
        toldAt = now
        yield { cursor: formatAuditCursor(engine.cell, reached) }
      }
      if (batch.isPart || isHistory) continue
      await waiter.next()
      await rested
    }
  } finally {
    waiter.close()
  }
}

/** Must match the list's SQL. */
function matches(
  entry: ListedAudit,
  { operation, kind, name, account, from }: AuditWatch['filter'],
): boolean {
  return (
    (operation === undefined || entry.operation === operation) &&
    (kind === undefined || entry.kind === kind) &&
    (name === undefined || entry.name === name) &&
    (account === undefined || entry.account === account) &&
    (from === undefined || entry.at >= from)
  )
}

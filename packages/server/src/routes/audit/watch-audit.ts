import { parseTimestamp, watchAudit as operation, type AuditEvent } from '@skein/contract'
import { isAuditEvent, resolveTenant, watchAudit, type AuditWatchPosition } from '@skein/engine'
import { streamRoute } from '../../http/event-stream.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

type Told = AuditEvent | AuditWatchPosition

export const watchAuditRoute = streamRoute<typeof operation, Told>(operation, async (input) => {
  const { engine, caller, query, signal } = input
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query))
  const { operation: wanted, kind, name, account, startTime } = query
  const from = startTime === undefined ? undefined : parseTimestamp(startTime)
  // A reconnecting client sends the id of the last event it saw, which is newer than its initial position.
  const seen = input.header('last-event-id') ?? ''
  const after = seen === '' ? (query.after ?? '') : seen
  const filter = { operation: wanted, kind, name, account, from }
  return {
    events: await watchAudit(engine, tenantId, { filter, after, signal }),
    idOf: ({ cursor }) => cursor,
    nameOf: (told) => (isAuditEvent(told) ? undefined : 'position'),
  }
})

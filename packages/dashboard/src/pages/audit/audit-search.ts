import type { AuditFilter } from '@skein/client'

/** The audit log's filters, from the URL. */
export interface AuditSearch {
  readonly operation?: string
  readonly kind?: string
  readonly name?: string
  readonly account?: string
  /** Days such as 2026-11-15, both inclusive. */
  readonly from?: string
  readonly to?: string
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const read: Record<string, string> = {}
  for (const field of ['operation', 'kind', 'name', 'account'])
    if (typeof search[field] === 'string' && search[field] !== '') read[field] = search[field]
  for (const field of ['from', 'to'])
    if (typeof search[field] === 'string' && isDay(search[field])) read[field] = search[field]
  return read
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Days are in the user's time zone: `startOfDay` says when one starts there. */
export function toAuditFilter(
  { from, to, ...filter }: AuditSearch,
  startOfDay: (day: string, daysLater: number) => string = startOfLocalDay,
): AuditFilter {
  return {
    ...filter,
    ...(from !== undefined && { startTime: startOfDay(from, 0) }),
    ...(to !== undefined && { endTime: startOfDay(to, 1) }),
  }
}

function startOfLocalDay(day: string, daysLater: number): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}

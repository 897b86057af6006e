/** RFC 3339 timestamps. Accepts any offset, produces UTC with milliseconds. An instant is epoch milliseconds. */

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** The range of google.protobuf.Timestamp, which is also what four-digit years can express. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

export function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const field = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [
    field(1),
    field(2),
    field(3),
    field(4),
    field(5),
    field(6),
  ]
  const [offsetHour, offsetMinute] = [field(9), field(10)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // JavaScript rolls 31 February over into March. A timestamp of a nonexistent day is a mistake.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  date.setUTCHours(hour, minute, second, millisecond)
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000 * (match[8] === '-' ? -1 : 1)
  const instant = date.getTime() - offsetMs
  return instant >= EARLIEST && instant <= LATEST ? instant : undefined
}

export function isTimestamp(text: string): boolean {
  return parseTimestamp(text) !== undefined
}

export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

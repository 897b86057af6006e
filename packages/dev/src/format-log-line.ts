const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** A line of a program's JSON log for people: time, level, message, and the rest in parentheses. */
export function formatLogLine(line: string): string {
  const { time, level, msg, service: _service, ...rest } = parseLine(line)
  if (typeof time !== 'number' || typeof level !== 'number' || typeof msg !== 'string') return line
  const facts = Object.entries(rest).map(([name, value]) => `${name}: ${formatValue(value)}`)
  const clock = new Date(time).toISOString().slice(11, 23)
  const what = facts.length === 0 ? msg : `${msg} (${facts.join('; ')})`
  return `${clock} ${(LEVELS[level] ?? String(level)).padEnd(5)} ${what}`
}

/** What is not such a line, such as the stack of a crash, is shown as it is. */
function parseLine(line: string): Readonly<Record<string, unknown>> {
  if (!line.startsWith('{')) return {}
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(formatValue).join(', ')
  if (typeof value === 'string') return value
  // Of an error, what it says: its stack is in the log.
  if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message)
  return JSON.stringify(value)
}

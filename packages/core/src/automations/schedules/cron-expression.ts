import { Cron } from 'croner'

/** A checked expression of five fields. Wall-clock times are written as if they were UTC. */
export interface CronExpression {
  /** Whether it fires in each hour of the day. */
  readonly firesEveryHour: boolean
  /** The first match after a wall-clock time, in epoch milliseconds; undefined if there is none. */
  nextMatch(wallMs: number): number | undefined
}

const MAX_CRON_LENGTH = 255

const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC'
const WEEKDAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT'
const FIELDS = [
  { name: 'minute', form: fieldForm('') },
  { name: 'hour', form: fieldForm('') },
  { name: 'day of the month', form: fieldForm('') },
  { name: 'month', form: fieldForm(`|${MONTHS}`) },
  { name: 'day of the week', form: fieldForm(`|${WEEKDAYS}`) },
] as const

/** The library takes the second one for 7, and the whole for the whole week. */
const SUNDAY_ALONE = /SUN-SUN/gi

/** The library's own extensions (seconds, L, W, #, @daily) differ between programs, so none of them is accepted. */
function fieldForm(names: string): RegExp {
  const value = `(?:[0-9]{1,2}${names})`
  const item = `(?:\\*(?:/[0-9]{1,2})?|${value}(?:-${value}(?:/[0-9]{1,2})?)?)`
  return new RegExp(`^${item}(?:,${item})*$`, 'i')
}

/** Reading one takes longer than finding its next match, and the same ones are read again and again. */
const read = new Map<string, CronExpression>()
const MAX_READ = 1000

/** Throws a CronError that says what is wrong. */
export function parseCron(text: string): CronExpression {
  const known = read.get(text)
  if (known) return known
  const expression = readCron(text)
  if (read.size >= MAX_READ) read.clear()
  read.set(text, expression)
  return expression
}

function readCron(text: string): CronExpression {
  if (text.length > MAX_CRON_LENGTH) throw new CronError(`must have at most ${MAX_CRON_LENGTH} characters`)
  const fields = text.trim().split(/\s+/)
  if (fields.length !== FIELDS.length) {
    throw new CronError('must have five fields: minute, hour, day of the month, month, day of the week')
  }
  for (const [index, { name, form }] of FIELDS.entries()) {
    if (!form.test(fields[index] ?? '')) throw new CronError(`the ${name} is not valid`)
  }
  const cron = compile(fields.join(' ').replaceAll(SUNDAY_ALONE, '0-0'))
  return { firesEveryHour: coversAllHours(fields[1] ?? ''), nextMatch: (wallMs) => nextMatch(cron, wallMs) }
}

export class CronError extends Error {
  override readonly name = 'CronError'
}

/** Without a time zone: the library is only asked which wall-clock times match (docs/adr/0046). */
function compile(expression: string): Cron {
  try {
    return new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    throw new CronError(`is not valid: ${reason}`)
  }
}

function nextMatch(cron: Cron, wallMs: number): number | undefined {
  return cron.nextRun(new Date(Math.max(wallMs, 0)))?.getTime()
}

/** On 2 January 1970: a day on which nothing special happens. */
function coversAllHours(field: string): boolean {
  const hours = compile(`0 ${field} * * *`)
  let amount = 0
  for (
    let at = nextMatch(hours, DAY_MS - 1);
    at !== undefined && at < 2 * DAY_MS;
    at = nextMatch(hours, at)
  ) {
    amount += 1
  }
  return amount === 24
}

const DAY_MS = 24 * 60 * 60 * 1000

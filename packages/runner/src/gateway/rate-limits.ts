import type { IncomingHttpHeaders } from 'node:http'

const DURATION_UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g

/** In text, if the provider sends no header: "Please try again in 1.2s". */
const IN_WORDS = /\b(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i

/** Per kind of limit: `anthropic-ratelimit-tokens-reset`, `x-ratelimit-reset-tokens`. */
const RESET = /^(?:anthropic-ratelimit-(.+)-reset|x-ratelimit-reset-(.+))$/

/** How long the provider asks to wait, in any of its formats; undefined if it doesn't. */
export function readRetryAfterMs(
  headers: IncomingHttpHeaders,
  message: string,
  nowMs: number,
): number | undefined {
  return (
    readNumber(headers['retry-after-ms']) ??
    readMoment(headers['retry-after'], nowMs) ??
    readResets(headers, nowMs) ??
    parseDuration(IN_WORDS.exec(message)?.[1])
  )
}

/** The latest reset of the exhausted limits, or of all limits if none is marked. */
function readResets(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const [match, ofAnthropic, ofOpenai] = RESET.exec(name) ?? []
    const waitMs = match === undefined ? undefined : readMoment(value, nowMs)
    if (waitMs === undefined) return []
    const remaining =
      ofAnthropic === undefined
        ? headers[`x-ratelimit-remaining-${ofOpenai ?? ''}`]
        : headers[`anthropic-ratelimit-${ofAnthropic}-remaining`]
    return [{ waitMs, isUsedUp: remaining === '0' }]
  })
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp)
  const waits = (usedUp.length > 0 ? usedUp : resets).map(({ waitMs }) => waitMs)
  return waits.length > 0 ? Math.max(...waits) : undefined
}

/** Seconds, a duration such as `6m0s`, a date, or seconds since 1970. */
function readMoment(header: string | string[] | undefined, nowMs: number): number | undefined {
  const seconds = readNumber(header)
  if (seconds !== undefined) {
    const isTimestamp = seconds > 1_000_000_000
    return isTimestamp ? Math.max(0, Math.ceil(seconds * 1000 - nowMs)) : Math.ceil(seconds * 1000)
  }
  if (typeof header !== 'string') return undefined
  const duration = parseDuration(header)
  if (duration !== undefined) return duration
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

function readNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}(?:\.\d{1,9})?$/.test(header) ? Number(header) : undefined
}

function parseDuration(text: string | undefined): number | undefined {
  if (text === undefined || !DURATION.test(text)) return undefined
  const parts = [...text.matchAll(DURATION_PART)]
  return Math.ceil(
    parts.reduce((sum, [, value, unit = '']) => sum + Number(value) * (DURATION_UNITS_MS[unit] ?? 0), 0),
  )
}

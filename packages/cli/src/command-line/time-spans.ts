import { UsageError } from './usage-error.ts'

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Parses durations: 90s, 2h30m, 1d. */
export function parseSpan(text: string): number {
  if (!/^(\d+[smhd])+$/.test(text)) {
    throw new UsageError(`${text} is not a duration.`, 'Write it as 90s, 45m, 2h30m or 1d.')
  }
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  )
}

/** The time from --in or --at, in the API's format. */
export function parseDeliverAt(
  options: { readonly in?: string | undefined; readonly at?: string | undefined },
  nowMs: number,
): string | undefined {
  if (options.in !== undefined && options.at !== undefined) {
    throw new UsageError('--in and --at cannot be combined.', 'Use one of them.')
  }
  if (options.in !== undefined) return new Date(nowMs + parseSpan(options.in)).toISOString()
  if (options.at === undefined) return undefined
  const isZoned = /[Tt ]\d{2}:\d{2}.*([Zz]|[+-]\d{2}:\d{2})$/.test(options.at)
  const instant = Date.parse(options.at)
  if (!isZoned || Number.isNaN(instant)) {
    throw new UsageError(
      `${options.at} is not a time with a time zone offset.`,
      'Write it as 2026-11-15T09:30:00Z or 2026-11-15T09:30:00+01:00.',
    )
  }
  return new Date(instant).toISOString()
}

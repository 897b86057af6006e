/** Requests in one hour, from the service. */
export interface Hour {
  readonly time: string
  readonly attempts: number
  readonly failures: number
}

const HOUR_MS = 3_600_000
const SHOWN = 24

export function startOfHour(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) * HOUR_MS
}

/** The last 24 hours, oldest first, with zeros for hours that the service leaves out. */
export function fillHours(hours: readonly Hour[], currentMs: number): readonly Hour[] {
  const known = new Map(hours.map((hour) => [Date.parse(hour.time), hour]))
  return Array.from({ length: SHOWN }, (_, index) => {
    const at = currentMs - (SHOWN - 1 - index) * HOUR_MS
    return known.get(at) ?? { time: new Date(at).toISOString(), attempts: 0, failures: 0 }
  })
}

function sumHours(hours: readonly Hour[]): Pick<Hour, 'attempts' | 'failures'> {
  return hours.reduce(
    (sum, { attempts, failures }) => ({
      attempts: sum.attempts + attempts,
      failures: sum.failures + failures,
    }),
    { attempts: 0, failures: 0 },
  )
}

/** The plot in words. */
export function describeHours(hours: readonly Hour[]): string {
  const { attempts, failures } = sumHours(hours)
  if (attempts === 0) return 'No requests in 24 h'
  if (failures === 0) return `${count(attempts)}, none failed`
  return `${failures.toLocaleString('en')} of ${count(attempts)} failed (${percent(failures, attempts)})`
}

function count(attempts: number): string {
  return attempts === 1 ? '1 request' : `${attempts.toLocaleString('en')} requests`
}

/** Never rounds some failures down to none, or some successes up to all failures. */
function percent(part: number, whole: number): string {
  const share = (part / whole) * 100
  if (share < 1) return '<1%'
  if (share > 99 && part < whole) return '>99%'
  return `${Math.round(share)}%`
}

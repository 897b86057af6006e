import type { ScheduleEntry } from '@skein/client'

/** `30 2 * * * Europe/Berlin` or `every 3600s`. */
export function describeTiming({
  cron,
  every,
  timeZone,
}: Pick<ScheduleEntry, 'cron' | 'every' | 'timeZone'>): string {
  return cron === '' ? `every ${every}` : `${cron} ${timeZone}`
}

const SHOWN = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
  timeZoneName: 'short',
} as const

/** A time as clocks show it in the schedule's zone, or in UTC if the browser doesn't know the zone. */
export function formatInZone(time: string, timeZone: string): string {
  const at = Date.parse(time)
  try {
    return new Intl.DateTimeFormat('en-GB', { ...SHOWN, timeZone }).format(at)
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...SHOWN, timeZone: 'UTC' }).format(at)
  }
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** `2h 5m`: the two largest units, and only seconds below a minute. */
export function formatSpan(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000) * 1000)
  const first = UNITS.findIndex((unit) => total >= unit.ms)
  if (first === -1) return '0s'
  const parts: string[] = []
  let rest = total
  for (const unit of UNITS.slice(first, first + 2)) {
    const amount = Math.floor(rest / unit.ms)
    rest -= amount * unit.ms
    if (amount > 0) parts.push(`${amount}${unit.name}`)
  }
  return parts.join(' ')
}

/** For a time from the service; a dash if it is empty. */
export function formatAgo(time: string, nowMs: number): string {
  if (time === '') return '–'
  const ms = nowMs - Date.parse(time)
  if (ms < 0) return `in ${formatSpan(-ms + 999)}`
  return ms < 1_000 ? 'now' : `${formatSpan(ms)} ago`
}

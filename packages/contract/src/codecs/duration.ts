/** Durations in proto3 JSON: seconds with up to nine decimals and an `s`, such as `"1.5s"`. */

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/

/** The limit of google.protobuf.Duration: about ten thousand years. */
const MAX_SECONDS = 315_576_000_000

export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text)
  if (!match) return undefined
  const seconds = Number(match[2])
  if (seconds > MAX_SECONDS) return undefined
  const milliseconds = Number((match[3] ?? '').padEnd(3, '0').slice(0, 3))
  const magnitude = seconds * 1000 + milliseconds
  return match[1] === '-' && magnitude !== 0 ? -magnitude : magnitude
}

export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined
}

export function formatDuration(durationMs: number): string {
  const magnitude = Math.abs(Math.trunc(durationMs))
  const fraction = (magnitude % 1000).toString().padStart(3, '0').replace(/0+$/, '')
  const sign = durationMs < 0 && magnitude > 0 ? '-' : ''
  return `${sign}${Math.floor(magnitude / 1000)}${fraction && `.${fraction}`}s`
}

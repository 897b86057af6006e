const EVERY_MS = 60_000
const MAX_REPORTS = 10

/** Passes on ten errors a minute: agents may be able to cause them, and must not fill the log. */
export function reportSparingly(
  report: (error: unknown) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  let since = -Infinity
  let reports = 0
  return (error) => {
    if (now() - since >= EVERY_MS) {
      since = now()
      reports = 0
    }
    reports += 1
    if (reports <= MAX_REPORTS) report(error)
  }
}

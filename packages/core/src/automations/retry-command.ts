const GIVE_UP_MS = 60 * 60 * 1000
const LONGEST_PAUSE_MS = 60_000

/**
 * When the commands of a firing or a delivery are retried after the given number of failures. Undefined means
 * never: what may pass by itself, such as a busy database, is tried for an hour.
 */
export function commandRetryTime(since: number, failures: number, now: number): number | undefined {
  if (now - since > GIVE_UP_MS) return undefined
  return now + Math.min(1000 * 2 ** failures, LONGEST_PAUSE_MS)
}

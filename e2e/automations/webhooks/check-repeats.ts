import type { Arrival } from './receivers.ts'

/** The requests for one event, as a receiver saw them, and what the service recorded about it. */
export interface SentEvent {
  readonly name: string
  readonly arrivals: readonly Arrival[]
  /** The `webhook-timestamp` of each request that was recorded as delivered. */
  readonly recordedAt: readonly number[]
}

/** An answer that was not recorded, so that its event was sent again. */
interface LostAnswer {
  readonly event: string
  readonly from: number
  readonly until: number
}

/** A holder sends this many events at once, so a kill can lose the answers to no more. */
const LANES = 8
/** A busy machine reads a request from its socket up to this long after the sender was killed. */
const READ_WITHIN_MS = 2_000

/**
 * An event may be sent again only if its answer was lost. That an answer was recorded is known exactly: the log is
 * written in the transaction that moves the lane. An answer that was not recorded must have lost the process or the
 * database that was to record it, which takes a kill between the request and its repetition. How soon after the answer is
 * no matter: a server that waits for its database keeps it, and may be killed while it waits.
 */
export function checkRepeats(
  events: readonly SentEvent[],
  killedAt: readonly number[],
): { readonly repeated: number; readonly problems: string[] } {
  const problems = events.flatMap(recordedProblems)
  let repeated = 0
  const lost: LostAnswer[] = []
  for (const { name, arrivals } of events) {
    for (const [index, { status, answeredAt, at }] of arrivals.entries()) {
      const next = arrivals[index + 1]
      if (!next) continue
      repeated++
      const isAnswered = status >= 200 && status < 300 && answeredAt !== undefined
      if (isAnswered) lost.push({ event: name, from: at - READ_WITHIN_MS, until: next.at })
    }
  }
  const unexplained = withoutKill(lost, killedAt)
  problems.push(
    ...unexplained.map(({ event }) => `${event} was answered, nothing was killed, and it came again`),
  )
  return { repeated: repeated - unexplained.length, problems }
}

function recordedProblems({ name, arrivals, recordedAt }: SentEvent): string[] {
  const [recorded, ...others] = recordedAt
  const last = arrivals.at(-1)
  if (recorded === undefined || last === undefined) return []
  if (others.length > 0) return [`${name} was recorded as delivered ${recordedAt.length} times`]
  return last.timestamp === recorded ? [] : [`${name} was sent again after its answer was recorded`]
}

/** Each kill explains as many lost answers as it can have caused; those that can wait for a later kill least come first. */
function withoutKill(lost: readonly LostAnswer[], killedAt: readonly number[]): LostAnswer[] {
  const explained = new Map<number, number>()
  return lost
    .toSorted((one, other) => one.until - other.until)
    .filter(({ from, until }) => {
      const kill = killedAt.find((at) => at >= from && at <= until && (explained.get(at) ?? 0) < LANES)
      if (kill !== undefined) explained.set(kill, (explained.get(kill) ?? 0) + 1)
      return kill === undefined
    })
}

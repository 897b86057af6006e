import { findLostAnswers, withoutKill, type Outage } from '../lost-answers.ts'
import type { Arrival } from './receivers.ts'

/** The requests for one event, as a receiver saw them, and what the service recorded about it. */
export interface SentEvent {
  readonly name: string
  readonly arrivals: readonly Arrival[]
  readonly recorded: RecordedRequests
}

/** What the service recorded, each request by its `webhook-timestamp`. */
export interface RecordedRequests {
  readonly delivered: readonly number[]
  /** Those that it got no answer to, because of a time limit or a broken connection. */
  readonly unanswered: readonly number[]
}

/** A holder sends this many events at once, so a kill can lose the answers to no more. */
const LANES = 8

/**
 * An event may be sent again only if its answer was lost. That an answer was recorded is known exactly: the log is
 * written in the transaction that moves the lane. So is that the sender got none: its status is 0 then. A busy machine can
 * take longer than the ten seconds that a request may take, although the receiver has answered at once.
 */
export function checkRepeats(
  events: readonly SentEvent[],
  outages: readonly Outage[],
): { readonly repeated: number; readonly problems: string[] } {
  const lost = events.flatMap(({ name, arrivals, recorded }) =>
    findLostAnswers(name, arrivals, ({ timestamp }) => recorded.unanswered.includes(timestamp)),
  )
  const unexplained = withoutKill(lost, outages, LANES)
  const again = events.reduce((total, { arrivals }) => total + Math.max(0, arrivals.length - 1), 0)
  return {
    repeated: again - unexplained.length,
    problems: [...events.flatMap(recordedProblems), ...unexplained],
  }
}

function recordedProblems({ name, arrivals, recorded: { delivered } }: SentEvent): string[] {
  const [recorded, ...others] = delivered
  const last = arrivals.at(-1)
  if (recorded === undefined || last === undefined) return []
  if (others.length > 0) return [`${name} was recorded as delivered ${delivered.length} times`]
  return last.timestamp === recorded ? [] : [`${name} was sent again after its answer was recorded`]
}

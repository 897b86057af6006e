import { afterDelivery, afterFailure, isOpen, nextAttempt, type Answer, type Circuit } from './retries.ts'

/** The next event of a lane, as far as its retries go. */
export interface LaneHead {
  readonly sequence: bigint
  /** Failed so far. */
  readonly attempts: number
  readonly waitingSince: number
}

interface Progress {
  readonly nextSequence: bigint
  readonly attempts: number
  readonly waitingSince: number
  readonly dueAt: number
}

/** What an answer means for the lane. */
export type LaneOutcome =
  /** The event was delivered: go on behind it. */
  | ({ readonly type: 'continue' } & Progress)
  /** The same event again, whether it cost an attempt or not. */
  | ({ readonly type: 'retry' } & Progress)
  /** Given up: the rest of the lane becomes a dead letter. */
  | { readonly type: 'give-up'; readonly error: string }

export interface AnswerDecision {
  readonly lane: LaneOutcome
  readonly circuit: Circuit
  /** Set if the receiver must not be asked again. */
  readonly disable?: string
}

/** Decides what follows from an answer, or from getting none. */
export function decideAnswer(
  head: LaneHead,
  circuit: Circuit,
  answer: Answer,
  { now, random }: { readonly now: number; readonly random: number },
): AnswerDecision {
  if (answer.type === 'delivered') {
    return {
      lane: {
        type: 'continue',
        nextSequence: head.sequence + 1n,
        attempts: 0,
        waitingSince: now,
        dueAt: now,
      },
      circuit: afterDelivery(),
    }
  }
  const stay = { type: 'retry', nextSequence: head.sequence, waitingSince: head.waitingSince } as const
  const failed = afterFailure(circuit, now)
  if (answer.type === 'gone') {
    const lane = { ...stay, attempts: head.attempts, dueAt: now }
    return { lane, circuit: failed, disable: answer.error }
  }
  // A probe says something about the receiver, not about the event: it costs the event no attempt.
  if (isOpen(circuit)) return { lane: { ...stay, attempts: head.attempts, dueAt: now }, circuit: failed }
  const attempts = head.attempts + 1
  const { waitingSince } = head
  const dueAt = nextAttempt({ attempts, waitingSince, retryAfterMs: answer.retryAfterMs, now, random })
  return {
    lane: dueAt === undefined ? { type: 'give-up', error: answer.error } : { ...stay, attempts, dueAt },
    circuit: failed,
  }
}

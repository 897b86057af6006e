import type { PullRequest } from '../pull-request.ts'
import { failureOf, type RoundDecision } from './plan-round.ts'
import {
  describeEnd,
  describeRound,
  describeStop,
  reviewFollowUpId,
  threadTasks,
  type ReviewedPull,
} from './review-message.ts'
import type { ReviewState } from './review-state.ts'

interface StepContext {
  readonly pull: ReviewedPull
  readonly roundLimit: number
  readonly digest: (text: string) => string
  readonly mintId: () => string
  readonly now: number
}

/** Decides on the message of a round, or on the one that has the agent ask a person. */
export function beginRound(
  state: ReviewState,
  decision: Exclude<RoundDecision, { type: 'nothing' }>,
  { pull, roundLimit, digest, mintId, now }: StepContext,
): ReviewState {
  const { news } = decision
  const hasFailures = news.failing.length > 0
  const told = {
    failedCommit: hasFailures ? pull.commit : state.failedCommit,
    failure: hasFailures ? failureOf(news.failing, digest) : state.failure,
  }
  if (decision.type === 'ask') {
    // What the person's answer leads to is checked again.
    const noted = decision.cause === 'same-failure' ? { ...told, failure: '' } : {}
    const description = describeStop(pull, decision.cause, roundLimit)
    return send({ ...state, ...noted }, 'stopped', { name: pull.name, description, tasks: [], now })
  }
  const round = { number: state.rounds + 1, limit: roundLimit }
  return send(
    {
      ...state,
      ...told,
      rounds: round.number,
      conflictTold: news.isConflicting ? pull.commit : state.conflictTold,
    },
    'working',
    {
      name: pull.name,
      description: describeRound(pull, news, round),
      tasks: threadTasks(pull, news.threads, mintId),
      now,
    },
  )
}

/** Tells the agent that its pull request is over, once each time it ends. */
export function beginEnd(
  state: ReviewState,
  pull: Pick<ReviewedPull, 'name' | 'url'>,
  ended: Exclude<PullRequest['state'], 'open'>,
  now: number,
): ReviewState {
  return send(state, 'ended', { name: pull.name, description: describeEnd(pull, ended), tasks: [], now })
}

function send(
  state: ReviewState,
  next: ReviewState['next'],
  {
    name,
    now,
    ...message
  }: Pick<NonNullable<ReviewState['message']>, 'description' | 'tasks'> & {
    readonly name: string
    readonly now: number
  },
): ReviewState {
  const sent = state.sent + 1
  return {
    ...state,
    phase: 'sending',
    since: now,
    next,
    sent,
    message: { followUpId: reviewFollowUpId(name, sent), ...message },
  }
}

/** After the message was sent, or could not be. */
export function endSending(state: ReviewState, now: number, problem = ''): ReviewState {
  const { message: _sent, ...rest } = state
  const phase = problem === '' || state.next === 'ended' ? state.next : 'watching'
  return { ...rest, phase, since: now, problem }
}

/** The agent rests, or a person has sent it a message, or the pull request is open again. */
export function watchAgain(state: ReviewState, now: number): ReviewState {
  const isHelped = state.phase === 'stopped'
  return { ...state, phase: 'watching', since: now, rounds: isHelped ? 0 : state.rounds }
}

const SOONEST_MS = 2_000
const LATEST_MS = 60_000

/** When to see whether the agent rests: the longer it has been at work, the later. */
export function nextRestCheck({ since }: ReviewState, now: number): number {
  return now + Math.min(Math.max((now - since) / 10, SOONEST_MS), LATEST_MS)
}

const FIRST_RETRY_MS = 15_000
const LAST_RETRY_MS = 10 * 60_000

/** When to ask a host again that did not answer: the more often it failed, the later. */
export function nextRetry(
  { failures }: Pick<ReviewState, 'failures'>,
  now: number,
  hostWantsMs: number,
): number {
  return now + Math.max(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS), hostWantsMs)
}

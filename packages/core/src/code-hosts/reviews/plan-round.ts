import { cutText } from '@skein/contract'
import {
  maySteer,
  type Conversation,
  type HostCheck,
  type HostComment,
  type HostPermission,
  type HostThread,
} from './conversation.ts'
import { REVIEW_LIMITS } from './limits.ts'
import type { ReviewState } from './review-state.ts'

/** Of a text, short. A port: the core computes nothing that depends on the platform. */
type Digest = (text: string) => string

/** A thread with comments that the agent has not seen. */
export interface ThreadNews {
  readonly thread: HostThread
  readonly comments: readonly HostComment[]
}

/** What a round gives to the agent. */
export interface RoundNews {
  readonly threads: readonly ThreadNews[]
  readonly failing: readonly HostCheck[]
  readonly isConflicting: boolean
  /** False if there is more than fits into a round. */
  readonly isAll: boolean
}

export type RoundDecision =
  | { readonly type: 'nothing' }
  | { readonly type: 'deliver'; readonly news: RoundNews }
  | { readonly type: 'ask'; readonly cause: 'rounds' | 'same-failure'; readonly news: RoundNews }

export interface RoundContext {
  readonly conversation: Conversation
  readonly permissions: ReadonlyMap<string, HostPermission>
  /** By thread, what `commentMark` says about comments that were delivered. */
  readonly seen: ReadonlyMap<string, readonly string[]>
  /** The workspace's policy. */
  readonly roundLimit: number
  readonly digest: Digest
  readonly now: number
}

/** The state after looking, and what to do. Looking twice at the same decides the same. */
export function planRound(
  before: ReviewState,
  context: RoundContext,
): { readonly state: ReviewState; readonly decision: RoundDecision } {
  const state = noteFacts(before, context)
  const news = findNews(state, before, context)
  const isSame = news.failing.length > 0 && failureOf(news.failing, context.digest) === before.failure
  const isNews = news.threads.length > 0 || news.failing.length > 0 || news.isConflicting
  if (context.roundLimit === 0) return { state, decision: { type: 'nothing' } }
  const { readUntil } = context.conversation
  if (!isNews) return { state: { ...state, readUntil }, decision: { type: 'nothing' } }
  if (isSame) return { state, decision: { type: 'ask', cause: 'same-failure', news } }
  if (state.rounds >= context.roundLimit) return { state, decision: { type: 'ask', cause: 'rounds', news } }
  return { state: news.isAll ? { ...state, readUntil } : state, decision: { type: 'deliver', news } }
}

function noteFacts(before: ReviewState, { conversation, now }: RoundContext): ReviewState {
  const { commit, isConflicting } = conversation
  return {
    ...before,
    commit,
    commitSince: commit === before.commit ? before.commitSince : now,
    checks: checksOf(conversation.checks),
    conflictSeen: isConflicting ? commit : '',
    // A new commit that passes ends a row of failures.
    failure: checksOf(conversation.checks) === 'passing' ? '' : before.failure,
  }
}

function findNews(state: ReviewState, before: ReviewState, context: RoundContext): RoundNews {
  const { conversation, now } = context
  const { commit, commitSince } = state
  const isSettled = state.checks === 'failing' || now - commitSince > REVIEW_LIMITS.checksMs
  const failing = conversation.checks.filter((check) => check.state === 'failing')
  const unseen = unseenThreads(context)
  const threads = fitting(unseen)
  return {
    threads,
    failing:
      isSettled && commit !== before.failedCommit ? failing.slice(0, REVIEW_LIMITS.checksPerRound) : [],
    // Hosts say so for a moment after a push: it has to be so twice.
    isConflicting:
      conversation.isConflicting && before.conflictSeen === commit && before.conflictTold !== commit,
    isAll: threads.length === unseen.length,
  }
}

function unseenThreads({ conversation, permissions, seen, digest }: RoundContext): ThreadNews[] {
  return (
    conversation.threads
      // Resolved by the agent, it may still get a reply: that one is for the agent too.
      .filter(({ key, isResolved }) => !isResolved || seen.has(key))
      .map((thread) => {
        const known = new Set(seen.get(thread.key))
        const comments = thread.comments.filter(
          (comment) => maySteer(comment, permissions) && !known.has(commentMark(comment, digest)),
        )
        return { thread, comments: comments.slice(-REVIEW_LIMITS.commentsPerThread) }
      })
      .filter(({ comments }) => comments.length > 0)
  )
}

/** The first of them that fit into a message; at least one. */
function fitting(threads: readonly ThreadNews[]): ThreadNews[] {
  const { threadsPerRound, roundLength, commentLength } = REVIEW_LIMITS
  let length = 0
  return threads.slice(0, threadsPerRound).filter(({ comments }, index) => {
    length += comments.reduce((sum, { body }) => sum + Math.min(body.length, commentLength), 0)
    return index === 0 || length <= roundLength
  })
}

/** As much of a comment as is delivered. */
export function cutComment({ body }: HostComment): string {
  const { commentLength } = REVIEW_LIMITS
  return body.length <= commentLength ? body : `${cutText(body, commentLength)}\n[The rest is left out.]`
}

/** Changes when a comment is edited: then it is news again. */
export function commentMark({ id, body }: HostComment, digest: Digest): string {
  return `${id}:${digest(body)}`
}

/** The same for two runs that fail in the same way, whatever numbers and times are in their logs. */
export function failureOf(failing: readonly HostCheck[], digest: Digest): string {
  const lines = failing.map(({ name, log }) => `${name}\n${log.replaceAll(/[0-9a-f]*[0-9][0-9a-f]*/gi, '#')}`)
  return digest(lines.toSorted().join('\0'))
}

/** A pending check hides failing ones: there may be more. */
function checksOf(checks: readonly HostCheck[]): ReviewState['checks'] {
  if (checks.length === 0) return 'none'
  if (checks.some(({ state }) => state === 'pending')) return 'pending'
  return checks.some(({ state }) => state === 'failing') ? 'failing' : 'passing'
}

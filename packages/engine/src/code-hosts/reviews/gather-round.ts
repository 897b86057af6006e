import {
  authorsToCheck,
  beginRound,
  commentMark,
  planRound,
  REVIEW_LIMITS,
  type Conversation,
  type HostPermission,
  type ReviewState,
  type ThreadNews,
} from '@skein/core'
import { PullRequestStore, ReviewThreadStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { CodeHost } from '../code-host.ts'
import { shortDigest as digest } from '../hosts/to-conversation.ts'
import type { ReviewContext } from './review-context.ts'

/** Decides on a round and stores it, with what the agent has then seen, in one transaction. */
export async function gatherRound(
  context: ReviewContext,
  host: CodeHost,
  conversation: Conversation,
  before: ReviewState,
): Promise<{ readonly isKept: boolean; readonly state: ReviewState }> {
  const { engine, held, record, roundLimit } = context
  const permissions = await readPermissions(context, host, conversation)
  const now = engine.clock.now()
  return engine.database.forTenant(held.tenantId, async (transaction) => {
    const threads = new ReviewThreadStore(transaction)
    const known = await threads.find(
      held.name,
      conversation.threads.map(({ key }) => key),
    )
    const seen = new Map(known.map((each) => [each.thread, each.seen]))
    const current = { ...before, problem: '' }
    const { state, decision } = planRound(current, {
      conversation,
      permissions,
      seen,
      roundLimit,
      digest,
      now,
    })
    if (decision.type === 'nothing') {
      return { isKept: await new PullRequestStore(transaction).save(held, state), state }
    }
    // Something came while the host was read, which then may have been read by half.
    if (!(await new PullRequestStore(transaction).isQuiet(held, record.stirs))) {
      return { isKept: true, state: before }
    }
    const { name, url, base } = record
    const pull = { name, url, base, commit: conversation.commit }
    const begun = beginRound(state, decision, { pull, roundLimit, digest, mintId: uuidV7, now })
    const isKept = await new PullRequestStore(transaction).save(held, begun)
    if (isKept && decision.type === 'deliver') {
      const delivered = decision.news.threads.map((news) => toDelivered(news, begun.rounds))
      await threads.deliver(held.name, delivered, now)
    }
    return { isKept, state: begun }
  })
}

function toDelivered({ thread, comments }: ThreadNews, round: number) {
  return {
    thread: thread.key,
    place: thread.place,
    author: comments.at(-1)?.author ?? '',
    seen: comments.map((comment) => commentMark(comment, digest)),
    round,
  }
}

/** Asked again each time: access may have been withdrawn. */
async function readPermissions(
  { repository }: ReviewContext,
  host: CodeHost,
  { threads }: Conversation,
): Promise<ReadonlyMap<string, HostPermission>> {
  const permissions = new Map<string, HostPermission>()
  for (const login of authorsToCheck(threads, REVIEW_LIMITS.authors)) {
    permissions.set(login.toLowerCase(), await host.readPermission(repository, login))
  }
  return permissions
}

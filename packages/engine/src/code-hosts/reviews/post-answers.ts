import { composeAnswer, hasAnswer, REVIEW_LIMITS, type Conversation } from '@skein/core'
import { ReviewThreadStore, type ReviewThread } from '@skein/store'
import type { CodeHost } from '../code-host.ts'
import { unlessRefused } from '../unless-refused.ts'
import type { ReviewContext } from './review-context.ts'

/**
 * Posts what the agent has answered, each answer once: one that is on the host already, because the server that posted it was
 * killed before it was recorded, is found by its marker.
 */
export async function postAnswers(
  context: ReviewContext,
  host: CodeHost,
  conversation: Conversation,
): Promise<void> {
  const { engine, held, record, repository } = context
  const inThreads = <Result>(work: (threads: ReviewThreadStore) => Promise<Result>) =>
    engine.database.forTenant(held.tenantId, (transaction) => work(new ReviewThreadStore(transaction)))
  const answers = await inThreads((threads) => threads.unposted(held.name, REVIEW_LIMITS.threadsPerRound))
  if (answers.length === 0) return
  // First, because it can be repeated: killed after the last answer, nobody would do it.
  if (conversation.unconvinced.length > 0) {
    await unlessRefused(() => host.requestReview(repository, record.number, conversation.unconvinced))
  }
  for (const answer of answers) {
    const problem = await unlessRefused(() => postAnswer(context, host, conversation, answer))
    await inThreads((threads) => threads.posted(held.name, answer, engine.clock.now(), problem))
  }
}

async function postAnswer(
  { record, repository }: ReviewContext,
  host: CodeHost,
  { threads }: Conversation,
  { place, author, answer = '', answerId = '', resolves }: ReviewThread,
): Promise<void> {
  if (!hasAnswer(threads, answerId)) {
    const mention = place.path === '' ? author : ''
    await host.postAnswer(repository, record.number, place, composeAnswer(answer, answerId, mention))
  }
  if (resolves) await unlessRefused(() => host.resolveThread(repository, record.number, place))
}

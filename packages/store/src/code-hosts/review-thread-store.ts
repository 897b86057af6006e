import { REVIEW_LIMITS, type ThreadPlace } from '@skein/core'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** A thread that was given to an agent. */
export interface ReviewThread {
  readonly thread: string
  readonly place: ThreadPlace
  readonly author: string
  /** Comments that the agent has. */
  readonly seen: readonly string[]
  readonly round: number
  readonly answer: string | undefined
  readonly answerId: string | undefined
  readonly resolves: boolean
  readonly isPosted: boolean
  readonly problem: string
}

export type DeliveredThread = Pick<ReviewThread, 'thread' | 'place' | 'author' | 'seen' | 'round'>

const ROW = {
  thread: 'text',
  place: meant<ThreadPlace>('jsonb'),
  author: 'text',
  seen: 'text[]',
  round: 'int',
  answer: 'text?',
  answer_id: 'uuid?',
  resolves: 'boolean',
  is_posted: 'boolean',
  problem: 'text',
} as const
const COLUMNS = `thread, place, author, seen, round, answer, answer_id, resolves, posted_at is not null as is_posted,
  problem`

/** What was seen before stays seen. Newest last; the oldest are forgotten. */
const deliver = statement(
  'review_thread_deliver',
  `insert into review_thread as t (tenant_id, pull_request, thread, place, author, seen, round, delivered_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7)
   on conflict (tenant_id, pull_request, thread) do update set place = excluded.place, author = excluded.author,
     seen = (t.seen || excluded.seen)[greatest(1, cardinality(t.seen) + cardinality(excluded.seen) - $8 + 1):],
     round = excluded.round, delivered_at = excluded.delivered_at`,
)

const find = statement(
  'review_thread_find',
  `select ${COLUMNS} from review_thread
   where tenant_id = skein_current_tenant() and pull_request = $1 and thread = any ($2)`,
  ROW,
)

const newest = statement(
  'review_thread_newest',
  `select ${COLUMNS} from review_thread
   where tenant_id = skein_current_tenant() and pull_request = $1 order by delivered_at desc, thread limit $2`,
  ROW,
)

const unposted = statement(
  'review_thread_unposted',
  `select ${COLUMNS} from review_thread
   where tenant_id = skein_current_tenant() and pull_request = $1 and answer is not null and posted_at is null
   order by thread limit $2`,
  ROW,
)

const answer = statement(
  'review_thread_answer',
  `update review_thread t set answer = $4, answer_id = $5, resolves = $6, posted_at = null, problem = ''
   from pull_request p
   where t.tenant_id = skein_current_tenant() and t.pull_request = $2 and t.thread = $3
     and p.tenant_id = t.tenant_id and p.name = t.pull_request and p.agent_id = $1`,
)

const posted = statement(
  'review_thread_posted',
  `update review_thread set posted_at = $4, problem = $5
   where tenant_id = skein_current_tenant() and pull_request = $1 and thread = $2 and answer_id = $3`,
)

/** Threads of the transaction's tenant. */
export class ReviewThreadStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async deliver(pullRequest: string, threads: readonly DeliveredThread[], now: number): Promise<void> {
    for (const { thread, place, author, seen, round } of threads) {
      const values = [pullRequest, thread, JSON.stringify(place), author, seen, round, new Date(now)]
      await this.#transaction.execute(deliver, [...values, REVIEW_LIMITS.seenPerThread])
    }
  }

  async find(pullRequest: string, threads: readonly string[]): Promise<ReviewThread[]> {
    return (await this.#transaction.rows(find, [pullRequest, threads])).map(toThread)
  }

  async newest(pullRequest: string, limit: number): Promise<ReviewThread[]> {
    return (await this.#transaction.rows(newest, [pullRequest, limit])).map(toThread)
  }

  async unposted(pullRequest: string, limit: number): Promise<ReviewThread[]> {
    return (await this.#transaction.rows(unposted, [pullRequest, limit])).map(toThread)
  }

  /** False if the agent was not given this thread. */
  async answer(
    agentId: string,
    place: { readonly pullRequest: string; readonly thread: string },
    given: { readonly id: string; readonly text: string; readonly resolves: boolean },
  ): Promise<boolean> {
    const values = [agentId, place.pullRequest, place.thread, given.text, given.id, given.resolves]
    return (await this.#transaction.execute(answer, values)) === 1
  }

  /** Does nothing if there is another answer by now. */
  async posted(
    pullRequest: string,
    { thread, answerId }: Pick<ReviewThread, 'thread' | 'answerId'>,
    now: number,
    problem = '',
  ): Promise<void> {
    await this.#transaction.execute(posted, [pullRequest, thread, answerId, new Date(now), problem])
  }
}

function toThread(row: RowOf<typeof ROW>): ReviewThread {
  return {
    thread: row.thread,
    place: row.place,
    author: row.author,
    seen: row.seen,
    round: row.round,
    answer: row.answer ?? undefined,
    answerId: row.answer_id ?? undefined,
    resolves: row.resolves,
    isPosted: row.is_posted,
    problem: row.problem,
  }
}

import { agentFromJson, type AgentState, type FollowUpBody } from '@skein/core'
import type { Database } from '../database/database.ts'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

export interface PendingRecord {
  readonly state: 'QUEUED' | 'DEFERRED'
  /** Long texts are cut to a little more than is shown. */
  readonly body: Pick<FollowUpBody, 'followUpId' | 'description' | 'createdAt' | 'deliverAt'>
}

export interface StatusRecord {
  readonly agent: AgentState
  readonly treeCostMicros: bigint
  readonly pending: readonly PendingRecord[]
  readonly build: string
}

const STATUS = {
  asked: 'int',
  state: 'json',
  tree_cost: 'bigint',
  follow_ups: meant<PendingRecord[] | null>('json?'),
  build: 'text?',
} as const

interface Ask {
  readonly tenantId: string
  readonly key: string
  readonly answer: PromiseWithResolvers<StatusRecord | undefined>
}

/** Each tenant's rows are read by a separate function call that binds itself to the tenant. */
const read = statement(
  'read_statuses',
  `select (part.first + status.asked - 1)::int as asked, status.state, status.tree_cost, status.follow_ups, status.build
   from unnest($2::uuid[], $3::int[], $4::int[]) as part (tenant, first, last),
     lateral read_statuses(part.tenant, ($1::text[])[part.first:part.last]) status`,
  STATUS,
)

/** Enough to make a round trip worthwhile, few enough that nobody waits long for the others. */
const BATCH = 16

/**
 * Status is the most frequent operation. Concurrent reads share one statement, sent after all of them asked, because
 * most of the cost is the round trip. Reads of the same agent share its row, so a thousand waiters on one agent cost
 * one read when it wakes them.
 */
export class StatusReader {
  readonly #database: Database
  #asked = new Map<string, Ask>()

  constructor(database: Database) {
    this.#database = database
  }

  read(tenantId: string, key: string): Promise<StatusRecord | undefined> {
    if (this.#asked.size === 0) setImmediate(() => this.#send())
    const name = `${tenantId}/${key}`
    const ask = this.#asked.get(name) ?? { tenantId, key, answer: Promise.withResolvers() }
    this.#asked.set(name, ask)
    return ask.answer.promise
  }

  #send(): void {
    // By tenant, because reading the agents of one costs less together.
    const asks = [...this.#asked.values()].sort((one, other) => compare(one.tenantId, other.tenantId))
    this.#asked = new Map()
    for (let from = 0; from < asks.length; from += BATCH) void this.#answer(asks.slice(from, from + BATCH))
  }

  async #answer(asks: readonly Ask[]): Promise<void> {
    try {
      const rows = await this.#database.statement((transaction) => transaction.rows(read, toArrays(asks)))
      const byAsk = new Map(rows.map((row) => [row.asked, row]))
      for (const [index, { answer }] of asks.entries()) {
        answer.resolve(Promise.resolve(byAsk.get(index + 1)).then((row) => row && toRecord(row)))
      }
    } catch (error) {
      for (const { answer } of asks) answer.reject(error)
    }
  }
}

/** All keys, then for each tenant which of them are its own: the first and the last, counted from one. */
function toArrays(asks: readonly Ask[]): unknown[] {
  const tenants: string[] = []
  const firsts: number[] = []
  const lasts: number[] = []
  for (const [index, { tenantId }] of asks.entries()) {
    if (tenants.at(-1) === tenantId) lasts[lasts.length - 1] = index + 1
    else {
      tenants.push(tenantId)
      firsts.push(index + 1)
      lasts.push(index + 1)
    }
  }
  return [asks.map(({ key }) => key), tenants, firsts, lasts]
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function toRecord(row: RowOf<typeof STATUS>): StatusRecord {
  return {
    agent: agentFromJson(row.state),
    treeCostMicros: BigInt(row.tree_cost),
    pending: row.follow_ups ?? [],
    build: row.build ?? '',
  }
}

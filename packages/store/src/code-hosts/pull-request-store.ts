import type { PullRequest } from '@skein/core'
import { asKeys } from '../database/seen-workspaces.ts'
import type { RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** A pull request that an agent opened. */
export interface PullRequestRecord extends Omit<PullRequest, 'body'> {
  readonly name: string
  readonly agentId: string
  readonly workspace: string
  readonly account: string
  readonly agent: string
  readonly codeHost: string
  readonly owner: string
  readonly repository: string
  readonly url: string
  readonly createdAt: number
  readonly updatedAt: number
}

const takeDue = statement(
  'take_due_pull_requests',
  'select tenant_id, name from take_due_pull_requests($1, $2, $3)',
  { tenant_id: 'uuid', name: 'text' },
)

/** Pull requests to look at, of all tenants except those that are busy. Nobody else takes them for a while. */
export async function takeDuePullRequests(
  transaction: Transaction,
  wanted: { readonly amount: number; readonly holdMs: number; readonly busy: readonly string[] },
): Promise<{ readonly tenantId: string; readonly name: string }[]> {
  const rows = await transaction.rows(takeDue, [wanted.amount, wanted.holdMs, wanted.busy])
  return rows.map((row) => ({ tenantId: row.tenant_id, name: row.name }))
}

const ROW = {
  name: 'text',
  agent_id: 'uuid',
  workspace: 'text',
  account: 'text',
  agent: 'text',
  code_host: 'text',
  owner: 'text',
  repository: 'text',
  number: 'int',
  url: 'text',
  title: 'text',
  state: 'text',
  is_draft: 'boolean',
  head: 'text',
  base: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const COLUMNS = Object.keys(ROW).join(', ')

const put = statement(
  'pull_request_put',
  `insert into pull_request as p (tenant_id, ${COLUMNS}, look_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $17)
   on conflict (tenant_id, name) do update set agent_id = excluded.agent_id, workspace = excluded.workspace,
     account = excluded.account, agent = excluded.agent, title = excluded.title, state = excluded.state,
     is_draft = excluded.is_draft, head = excluded.head, base = excluded.base, look_at = excluded.look_at,
     updated_at = case when (p.title, p.state, p.is_draft, p.head, p.base)
       = (excluded.title, excluded.state, excluded.is_draft, excluded.head, excluded.base)
       then p.updated_at else excluded.updated_at end`,
)

const find = statement(
  'pull_request_find',
  `select ${COLUMNS} from pull_request where tenant_id = skein_current_tenant() and name = $1`,
  ROW,
)

const list = statement(
  'pull_request_list',
  `select ${COLUMNS} from pull_request where tenant_id = skein_current_tenant() and name > $1
     and ($3::jsonb is null or $3::jsonb ? workspace) order by name limit $2`,
  ROW,
)

const ofAgent = statement(
  'pull_request_of_agent',
  `select ${COLUMNS} from pull_request
   where tenant_id = skein_current_tenant() and agent_id = $1 and code_host = $2 and state = 'open'
   order by created_at desc limit 10`,
  ROW,
)

const postpone = statement(
  'pull_request_postpone',
  'update pull_request set look_at = $2 where tenant_id = skein_current_tenant() and name = $1',
)

/** Pull requests of the transaction's tenant. */
export class PullRequestStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Records it as it is now; `lookAt` undefined means that nobody needs to look at it again. */
  async put(
    record: Omit<PullRequestRecord, 'createdAt' | 'updatedAt'>,
    now: number,
    lookAt?: number,
  ): Promise<void> {
    const { name, agentId, workspace, account, agent, codeHost, owner, repository, number, url } = record
    const { title, state, draft, head, base } = record
    const place = [name, agentId, workspace, account, agent, codeHost, owner, repository, number, url]
    const facts = [title, state, draft, head, base]
    await this.#transaction.execute(put, [...place, ...facts, new Date(now), timeOf(lookAt)])
  }

  async find(name: string): Promise<PullRequestRecord | undefined> {
    const row = await this.#transaction.row(find, [name])
    return row && toRecord(row)
  }

  /** Sorted by name; of agents in these workspaces only, if given. */
  async listAfter(name: string, limit: number, workspaces?: readonly string[]): Promise<PullRequestRecord[]> {
    const seen = workspaces ? asKeys(workspaces) : null
    return (await this.#transaction.rows(list, [name, limit, seen])).map(toRecord)
  }

  /** The newest that were open when last looked at. */
  async openOf(agentId: string, codeHost: string): Promise<PullRequestRecord[]> {
    return (await this.#transaction.rows(ofAgent, [agentId, codeHost])).map(toRecord)
  }

  async postpone(name: string, lookAt: number | undefined): Promise<void> {
    await this.#transaction.execute(postpone, [name, timeOf(lookAt)])
  }
}

function timeOf(time: number | undefined): Date | string {
  return time === undefined ? 'infinity' : new Date(time)
}

function toRecord(row: RowOf<typeof ROW>): PullRequestRecord {
  return {
    name: row.name,
    agentId: row.agent_id,
    workspace: row.workspace,
    account: row.account,
    agent: row.agent,
    codeHost: row.code_host,
    owner: row.owner,
    repository: row.repository,
    number: row.number,
    url: row.url,
    title: row.title,
    state: row.state === 'open' || row.state === 'merged' ? row.state : 'closed',
    draft: row.is_draft,
    head: row.head,
    base: row.base,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  }
}

import {
  NEW_REVIEW,
  REVIEW_LIMITS,
  type HostEvent,
  type PullRequest,
  type Repository,
  type ReviewState,
} from '@skein/core'
import { meant, type RowOf } from '../database/columns.ts'
import { asKeys } from '../database/seen-workspaces.ts'
import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
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
  /** The newest commit of its branch, when last read. */
  readonly commit: string
  readonly isConflicting: boolean
  /** How many webhooks were about it. */
  readonly stirs: bigint
  /** News is gathered until then; 0 if none has come. */
  readonly quietAt: number
  readonly review: ReviewState
}

/** The pull request that says most about an agent. */
export interface ChiefPullRequest {
  readonly agentKey: string
  readonly record: PullRequestRecord
  readonly openCount: number
}

/** A pull request that this server holds. The next holder gets another token. */
export interface HeldPullRequest {
  readonly tenantId: string
  readonly name: string
  readonly token: bigint
}

type OpenedRecord = Omit<
  PullRequestRecord,
  'createdAt' | 'updatedAt' | 'commit' | 'isConflicting' | 'stirs' | 'quietAt' | 'review'
>

/** Pull requests to look at. */
export const takeDuePullRequests = takingDue(
  'take_due_pull_requests',
  { tenant_id: 'uuid', name: 'text', token: 'bigint' },
  (row): HeldPullRequest => ({ tenantId: row.tenant_id, name: row.name, token: BigInt(row.token) }),
)

const OPENED = {
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
const ROW = {
  ...OPENED,
  commit: 'text',
  is_conflicting: 'boolean',
  stirs: 'bigint',
  quiet_at: 'timestamptz?',
  review: meant<Partial<ReviewState>>('jsonb'),
} as const
/** When the quiet window ends that the newest webhook began. */
const QUIET = `least(nullif(stirred_at, '-infinity') + interval '${REVIEW_LIMITS.quietMs} milliseconds',
  coalesce(stirred_since, nullif(stirred_at, '-infinity')) + interval '${REVIEW_LIMITS.longestQuietMs} milliseconds') as quiet_at`
const COLUMNS = Object.keys(ROW)
  .map((column) => (column === 'quiet_at' ? QUIET : column))
  .join(', ')

const put = statement(
  'pull_request_put',
  `insert into pull_request as p (tenant_id, ${Object.keys(OPENED).join(', ')}, look_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $17)
   on conflict (tenant_id, name) do update set agent_id = excluded.agent_id, workspace = excluded.workspace,
     account = excluded.account, agent = excluded.agent, title = excluded.title, state = excluded.state,
     is_draft = excluded.is_draft, head = excluded.head, base = excluded.base, look_at = least(p.look_at, excluded.look_at),
     updated_at = case when (p.title, p.state, p.is_draft, p.head, p.base)
       = (excluded.title, excluded.state, excluded.is_draft, excluded.head, excluded.base)
       then p.updated_at else excluded.updated_at end`,
)

const find = statement(
  'pull_request_find',
  `select ${COLUMNS} from pull_request where tenant_id = skein_current_tenant() and name = $1`,
  ROW,
)

const findAt = statement(
  'pull_request_find_at',
  `select ${COLUMNS} from pull_request where tenant_id = skein_current_tenant() and code_host = $1
     and lower(owner) = lower($2) and lower(repository) = lower($3) and number = $4 and state <> 'merged'`,
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

const newestOfAgent = statement(
  'pull_request_newest_of_agent',
  `select ${COLUMNS} from pull_request
   where tenant_id = skein_current_tenant() and agent_id = $1 order by created_at desc, name limit $2`,
  ROW,
)

/** Not joins: planned with few agents, they would read all of them. */
const chiefOfEach = statement(
  'pull_request_chief_of_each',
  `select a.key, p.* from unnest($1::text[]) as wanted (key)
   cross join lateral (
     select id, key from agent where tenant_id = skein_current_tenant() and key = wanted.key limit 1) a
   cross join lateral (
     select ${COLUMNS}, (count(*) filter (where state = 'open') over ())::int as open_count from pull_request
     where tenant_id = skein_current_tenant() and agent_id = a.id
     order by state = 'open' desc, created_at desc, name limit 1) p`,
  { key: 'text', ...ROW, open_count: 'int' },
)

const keep = statement(
  'pull_request_keep',
  `update pull_request set held_until = now() + make_interval(secs => $3 / 1000.0),
     look_at = now() + make_interval(secs => $3 / 1000.0)
   where tenant_id = skein_current_tenant() and name = $1 and token = $2`,
)

const save = statement(
  'pull_request_save',
  `update pull_request set review = $3 where tenant_id = skein_current_tenant() and name = $1 and token = $2`,
)

/** If a webhook came after it was read, it is looked at again when that webhook says. */
const WHEN = `case when stirs <> $4 then least($3, now() + make_interval(secs => $5 / 1000.0)) else $3 end`

const quiet = statement(
  'pull_request_quiet',
  `select stirs = $2 as is_quiet from pull_request where tenant_id = skein_current_tenant() and name = $1`,
  { is_quiet: 'boolean' },
)

const release = statement(
  'pull_request_release',
  `update pull_request set held_until = '-infinity', look_at = ${WHEN},
     stirred_since = case when stirs <> $4 then now() end
   where tenant_id = skein_current_tenant() and name = $1 and token = $2`,
)

const note = statement(
  'pull_request_note',
  `update pull_request set updated_at = case when (title, state, is_draft, head, base) = ($3, $4, $5, $6, $7)
       then updated_at else $8 end,
     title = $3, state = $4, is_draft = $5, head = $6, base = $7, commit = $9, is_conflicting = $10
   where tenant_id = skein_current_tenant() and name = $1 and token = $2`,
)

/** Records a webhook and has the pull requests that it is about looked at, unless it is a copy. One statement. */
const stir = statement(
  'pull_request_stir',
  `with recorded as (
     insert into code_host_delivery (tenant_id, code_host, sender_key, body_key)
     values (skein_current_tenant(), $1, $2, $3) on conflict do nothing returning 1
   ), stirred as (
     update pull_request p set stirs = p.stirs + 1, stirred_at = now(), stirred_since = coalesce(p.stirred_since, now()),
       look_at = least(now() + make_interval(secs => $9 / 1000.0),
         coalesce(p.stirred_since, now()) + make_interval(secs => $10 / 1000.0))
     where p.tenant_id = skein_current_tenant() and p.code_host = $1 and lower(p.owner) = lower($4)
       and lower(p.repository) = lower($5) and p.state <> 'merged'
       and (p.number = $6 or (p.commit = $7 and $7 <> '') or (p.head = $8 and $8 <> ''))
       and exists (select from recorded)
   )
   select exists (select from recorded) as is_new`,
  { is_new: 'boolean' },
)

/** Messages of the loop itself and reports of children don't count. */
const helped = statement(
  'pull_request_agent_helped',
  `select exists (
     select from follow_up where agent_id = $1 and created_at > $2
       and follow_up_id not like 'review:%' and follow_up_id not like 'child:%'
       and tenant_id = skein_current_tenant()) as is_helped`,
  { is_helped: 'boolean' },
)

const hurry = statement(
  'pull_request_hurry',
  `update pull_request set stirs = stirs + 1, look_at = least(look_at, now() + interval '2 seconds')
   where tenant_id = skein_current_tenant() and name = $1 and state <> 'merged'`,
)

/** Pull requests of the transaction's tenant. */
export class PullRequestStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Records it as it is now; `lookAt` undefined means that nobody needs to look at it again. */
  async put(record: OpenedRecord, now: number, lookAt?: number): Promise<void> {
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

  /** By where it is, unless it was merged. */
  async findAt(
    codeHost: string,
    { owner, name }: Repository,
    number: number,
  ): Promise<PullRequestRecord | undefined> {
    const row = await this.#transaction.row(findAt, [codeHost, owner, name, number])
    return row && toRecord(row)
  }

  /** Sorted by name; of agents in these workspaces only, if given. */
  async listAfter(name: string, limit: number, workspaces?: readonly string[]): Promise<PullRequestRecord[]> {
    const seen = workspaces ? asKeys(workspaces) : null
    return (await this.#transaction.rows(list, [name, limit, seen])).map(toRecord)
  }

  /** The newest that were open when last read. */
  async openOf(agentId: string, codeHost: string): Promise<PullRequestRecord[]> {
    return (await this.#transaction.rows(ofAgent, [agentId, codeHost])).map(toRecord)
  }

  /** Of the agent, whatever their state; the newest first. */
  async newestOf(agentId: string, limit: number): Promise<PullRequestRecord[]> {
    return (await this.#transaction.rows(newestOfAgent, [agentId, limit])).map(toRecord)
  }

  /** Of each agent the newest open one, or the newest if none is open. By the agents' keys. */
  async chiefOfEach(keys: readonly string[]): Promise<ChiefPullRequest[]> {
    const rows = await this.#transaction.rows(chiefOfEach, [keys])
    return rows.map((row) => ({ agentKey: row.key, record: toRecord(row), openCount: row.open_count }))
  }

  /** Whether this server still holds it. */
  async keep({ name, token }: HeldPullRequest, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(keep, [name, token, holdMs])) === 1
  }

  /** Whether this server still holds it; else nothing is written. */
  async save({ name, token }: HeldPullRequest, review: ReviewState): Promise<boolean> {
    return (await this.#transaction.execute(save, [name, token, JSON.stringify(review)])) === 1
  }

  /** Whether no webhook was about it since then. */
  async isQuiet({ name }: HeldPullRequest, stirs: bigint): Promise<boolean> {
    return (await this.#transaction.row(quiet, [name, stirs]))?.is_quiet === true
  }

  /** What the host says now. */
  async note(
    { name, token }: HeldPullRequest,
    { title, state, draft, head, base, commit, isConflicting }: PullRequestFacts,
    now: number,
  ): Promise<boolean> {
    const facts = [title, state, draft, head, base, new Date(now), commit, isConflicting]
    return (await this.#transaction.execute(note, [name, token, ...facts])) === 1
  }

  /** `stirs` as they were before the look; `lookAt` undefined means that nobody needs to look again. */
  async release({ name, token }: HeldPullRequest, stirs: bigint, lookAt: number | undefined): Promise<void> {
    const { quietMs } = REVIEW_LIMITS
    await this.#transaction.execute(release, [name, token, timeOf(lookAt), stirs, quietMs])
  }

  /** False if it is a copy of a webhook that was recorded. */
  async stir(
    { codeHost, senderKey, bodyKey }: { codeHost: string; senderKey: string; bodyKey: Uint8Array },
    event: HostEvent | undefined,
  ): Promise<boolean> {
    const { repository, number = 0, commit = '', branch = '' } = event ?? {}
    const { owner = '', name = '' } = repository ?? {}
    const { quietMs, longestQuietMs } = REVIEW_LIMITS
    const about = [owner, name, number, commit, branch, quietMs, longestQuietMs]
    const row = await this.#transaction.row(stir, [codeHost, senderKey, bodyKey, ...about])
    return row?.is_new === true
  }

  /** Whether a person has sent the agent a message since then. */
  async isAgentHelped(agentId: string, since: number): Promise<boolean> {
    return (await this.#transaction.row(helped, [agentId, new Date(since)]))?.is_helped === true
  }

  /** Soon somebody looks at it: the agent has left something to do. */
  async hurry(name: string): Promise<void> {
    await this.#transaction.execute(hurry, [name])
  }
}

export type PullRequestFacts = Omit<PullRequest, 'body' | 'number'> &
  Pick<PullRequestRecord, 'commit' | 'isConflicting'>

function timeOf(time: number | undefined): Date | string {
  return time === undefined ? 'infinity' : new Date(time)
}

/** The driver has no date for an infinite time. */
function timestampOf(time: Date | null): number {
  return time instanceof Date ? time.getTime() : 0
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
    commit: row.commit,
    isConflicting: row.is_conflicting,
    stirs: BigInt(row.stirs),
    quietAt: timestampOf(row.quiet_at),
    review: { ...NEW_REVIEW, ...row.review },
  }
}

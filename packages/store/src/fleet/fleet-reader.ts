import { SkeinError } from '@skein/contract'
import { agentFromJson, type AgentState } from '@skein/core'
import { isStatementTimeout } from '../database/database-errors.ts'
import type { Transaction } from '../database/transaction.ts'
import type { RowOf } from '../database/columns.ts'
import { statement, type Statement } from '../database/statement.ts'
import { areFew, asKeys, isAmong, probeStatement } from '../database/seen-workspaces.ts'

export interface FleetFilter {
  readonly owner: { readonly provider: string; readonly account: string } | undefined
  readonly workspace: string | undefined
  /** Only agents in these; undefined for callers who see all. A tree is in one workspace, so it is not asked. */
  readonly workspaces: readonly string[] | undefined
  /** An agent's key: only this agent and its descendants. */
  readonly under: string | undefined
  readonly includeTerminal: boolean
  readonly phases: readonly string[] | undefined
  readonly labels: Readonly<Record<string, string>>
}

interface PlaceInList {
  readonly at: number
  readonly id: string
}

const STATE = { state: 'json' } as const

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A scan with few matches would continue to the tenant's first agent, so it is cut off. */
const WALK_LIMIT_MS = 5_000

/** The planner takes a case to hold for half of the rows: see isAmong. */
const MATCHES = `and (created_at, id) < ($1::timestamptz, $2::uuid)
  and case when ($4::text[] is null or phase = any($4)) and labels @> $5::jsonb
    and ($6::text is null or workspace = $6) then true end`

/** The second half keeps the planner from using the index without accounts: see agent-reader.ts. */
const OF_ACCOUNT = 'and owner_provider = $7 and account = $8 and account between $8 and $8'

const live = walkStatement('fleet_live', ['not is_terminal'])
const all = walkStatement('fleet_all', ['not is_terminal', 'is_terminal'])
const liveOfAccount = walkStatement('fleet_live_of_account', [`not is_terminal ${OF_ACCOUNT}`])
const allOfAccount = walkStatement('fleet_all_of_account', [
  `not is_terminal ${OF_ACCOUNT}`,
  `is_terminal ${OF_ACCOUNT}`,
])

/** The same lists for callers who see only some workspaces. */
const SEEN = `and ${isAmong('$7')}`
const SEEN_OF_ACCOUNT = `${OF_ACCOUNT} and ${isAmong('$9')}`
const seenLive = walkStatement('fleet_seen_live', [`not is_terminal ${SEEN}`])
const seenAll = walkStatement('fleet_seen_all', [`not is_terminal ${SEEN}`, `is_terminal ${SEEN}`])
const seenLiveOfAccount = walkStatement('fleet_seen_live_of_account', [`not is_terminal ${SEEN_OF_ACCOUNT}`])
const seenAllOfAccount = walkStatement('fleet_seen_all_of_account', [
  `not is_terminal ${SEEN_OF_ACCOUNT}`,
  `is_terminal ${SEEN_OF_ACCOUNT}`,
])
const probed = probeStatement(
  'fleet_probed',
  {
    shown: 'a.state',
    before: '($1::timestamptz, $2::uuid)',
    limit: '$3',
    workspaces: '$6',
    ended: '$7',
    matches: 'case when a.labels @> $5::jsonb then true end and ($4::text[] is null or a.phase = any($4))',
  },
  STATE,
)

/** A tree is small compared to its tenant: find it by its keys, then sort. */
const ofTree = statement(
  'fleet_of_tree',
  `with tree as materialized (
     select * from agent
     where tenant_id = skein_current_tenant() and (key = $9 or (key > $9 || '/' and key < $9 || '0'))
   )
   select state from tree
   where ($10 or not is_terminal) and ($7::text is null or (owner_provider = $7 and account = $8)) ${MATCHES}
   order by created_at desc, id desc limit $3`,
  STATE,
)

/** Reads lists of agents of all levels. */
export class FleetReader {
  readonly #transaction: Transaction
  readonly #walkLimitMs: number

  constructor(transaction: Transaction, walkLimitMs = WALK_LIMIT_MS) {
    this.#transaction = transaction
    this.#walkLimitMs = walkLimitMs
  }

  /** Newest first. */
  async list(filter: FleetFilter, before: PlaceInList | undefined, limit: number): Promise<AgentState[]> {
    const { owner, under, includeTerminal } = filter
    const common = [
      before ? new Date(before.at) : 'infinity',
      before?.id ?? LAST_UUID,
      limit,
      filter.phases ?? null,
      JSON.stringify(filter.labels),
      filter.workspace ?? null,
    ]
    if (under !== undefined) {
      const tree = [owner?.provider ?? null, owner?.account ?? null, under, includeTerminal]
      return this.#read(ofTree, [...common, ...tree])
    }
    if (isNarrowed(filter))
      await this.#transaction.query(`set local statement_timeout = ${this.#walkLimitMs}`)
    if (filter.workspaces) return this.#listSeen(filter.workspaces, common, filter)
    if (!owner) return this.#read(includeTerminal ? all : live, common)
    const ofAccount = includeTerminal ? allOfAccount : liveOfAccount
    return this.#read(ofAccount, [...common, owner.provider, owner.account])
  }

  #listSeen(
    workspaces: readonly string[],
    common: readonly unknown[],
    { owner, workspace, includeTerminal }: FleetFilter,
  ): Promise<AgentState[]> {
    if (owner) {
      const ofAccount = includeTerminal ? seenAllOfAccount : seenLiveOfAccount
      return this.#read(ofAccount, [...common, owner.provider, owner.account, asKeys(workspaces)])
    }
    const wanted = workspace === undefined ? workspaces : workspaces.filter((name) => name === workspace)
    if (!areFew(wanted)) return this.#read(includeTerminal ? seenAll : seenLive, [...common, asKeys(wanted)])
    const ended = includeTerminal ? [false, true] : [false]
    return this.#read(probed, [...common.slice(0, 5), wanted, ended])
  }

  async #read(query: Statement<RowOf<typeof STATE>>, values: readonly unknown[]): Promise<AgentState[]> {
    try {
      const rows = await this.#transaction.rows(query, values)
      return rows.map(({ state }) => agentFromJson(state))
    } catch (error) {
      throw isStatementTimeout(error) ? new SkeinError('FILTER_TOO_BROAD', { cause: error }) : error
    }
  }
}

/** Filters that no index supports. */
function isNarrowed({ workspace, workspaces, phases, labels }: FleetFilter): boolean {
  return (
    workspace !== undefined ||
    workspaces !== undefined ||
    phases !== undefined ||
    Object.keys(labels).length > 0
  )
}

/** Scans the index once for each part of the list, each in order, and merges the results. */
function walkStatement(name: string, parts: readonly string[]): Statement<RowOf<typeof STATE>> {
  const walks = parts.map(
    (
      part,
    ) => `(select id, created_at from agent where tenant_id = skein_current_tenant() and ${part} ${MATCHES}
      order by created_at desc, id desc limit $3)`,
  )
  return statement(
    name,
    // Not a join: planned with few agents, it would read all of them.
    `select (select a.state from agent a where a.id = found.id) as state
     from (${walks.join(' union all ')}) found order by found.created_at desc, found.id desc limit $3`,
    STATE,
  )
}

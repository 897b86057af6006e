import type { Transaction } from '../database/transaction.ts'
import { statement, type Statement } from '../database/statement.ts'
import { asKeys } from '../database/seen-workspaces.ts'
import type { FleetFilter } from './fleet-reader.ts'

type Scope = Pick<FleetFilter, 'owner' | 'workspace' | 'workspaces' | 'under'>

/** Per workspace: the number of live agents in each phase, and how many are asking something. */
export interface LiveCounts {
  readonly workspace: string
  readonly pending: number
  readonly running: number
  readonly waiting: number
  readonly asking: number
}

/** Per workspace and hour. */
export interface HourSums {
  readonly workspace: string
  /** Epoch milliseconds. */
  readonly hour: number
  readonly costMicros: bigint
  readonly inputTokens: bigint
  readonly outputTokens: bigint
  readonly completed: number
  readonly failed: number
  readonly canceled: number
}

const IN_SCOPE = `tenant_id = skein_current_tenant()
  and ($1::text is null or (owner_provider = $1 and account = $2)) and ($3::text is null or workspace = $3)
  and ($4::jsonb is null or $4::jsonb ? workspace)`

const COUNTS = { workspace: 'text', pending: 'int', running: 'int', waiting: 'int', asking: 'int' } as const

const HOUR = {
  workspace: 'text',
  hour: 'timestamptz',
  cost: 'bigint',
  input: 'bigint',
  output: 'bigint',
  completed: 'int',
  failed: 'int',
  canceled: 'int',
} as const

const counts = statement(
  'fleet_counts',
  `select workspace, sum(pending)::int as pending, sum(running)::int as running, sum(waiting)::int as waiting,
     sum(asking)::int as asking
   from fleet_count where ${IN_SCOPE} group by workspace`,
  COUNTS,
)

const hours = statement(
  'fleet_hours',
  `select workspace, hour, sum(cost_micros)::bigint as cost, sum(input_tokens)::bigint as input,
     sum(output_tokens)::bigint as output, sum(completed)::int as completed, sum(failed)::int as failed,
     sum(canceled)::int as canceled
   from spend where ${IN_SCOPE} and hour >= $5 group by workspace, hour`,
  HOUR,
)

const IN_TREE = `${IN_SCOPE} and (key = $5 or (key > $5 || '/' and key < $5 || '0'))`

/** Trees have no stored totals: a run that asks about its own has few agents. */
const countsOfTree = statement(
  'fleet_counts_of_tree',
  `select workspace, count(*) filter (where phase = 'PHASE_PENDING')::int as pending,
     count(*) filter (where phase = 'PHASE_RUNNING')::int as running,
     count(*) filter (where phase = 'PHASE_WAITING')::int as waiting,
     count(*) filter (where is_asking(phase, state))::int as asking
   from agent where ${IN_TREE} and not is_terminal group by workspace`,
  COUNTS,
)

const hoursOfTree = statement(
  'fleet_hours_of_tree',
  `with tree as materialized (select id, workspace, phase, state from agent where ${IN_TREE}), part as (
     select a.workspace, date_trunc('hour', t.created_at, 'UTC') as hour,
       (t.event ->> 'costMicros')::bigint as cost, (t.event ->> 'inputTokens')::bigint as input,
       (t.event ->> 'outputTokens')::bigint as output, '' as phase
     from tree a join timeline t on t.agent_id = a.id
     where t.created_at >= $6 and t.event ->> 'type' = 'run.metered'
     union all
     select workspace, hour_of_end(phase, state), 0, 0, 0, phase from tree where hour_of_end(phase, state) >= $6
   )
   select workspace, hour, sum(cost)::bigint as cost, sum(input)::bigint as input, sum(output)::bigint as output,
     count(*) filter (where phase = 'PHASE_COMPLETED')::int as completed,
     count(*) filter (where phase = 'PHASE_FAILED')::int as failed,
     count(*) filter (where phase = 'PHASE_CANCELED')::int as canceled
   from part group by workspace, hour`,
  HOUR,
)

/** Totals over the agents of the transaction's tenant. */
export class FleetSums {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  liveCounts(scope: Scope): Promise<LiveCounts[]> {
    return this.#transaction.rows(...choose(scope, counts, countsOfTree))
  }

  /** Starting at the given hour; hours without activity are left out. */
  async hoursSince(scope: Scope, since: number): Promise<HourSums[]> {
    const [query, values] = choose(scope, hours, hoursOfTree)
    const rows = await this.#transaction.rows(query, [...values, new Date(since)])
    return rows.map(({ hour, cost, input, output, ...rest }) => ({
      ...rest,
      hour: hour.getTime(),
      costMicros: BigInt(cost),
      inputTokens: BigInt(input),
      outputTokens: BigInt(output),
    }))
  }
}

function choose<Row>(
  { owner, workspace, workspaces, under }: Scope,
  ofAll: Statement<Row>,
  ofTree: Statement<Row>,
): [Statement<Row>, unknown[]] {
  const values = [
    owner?.provider ?? null,
    owner?.account ?? null,
    workspace ?? null,
    workspaces ? asKeys(workspaces) : null,
  ]
  return under === undefined ? [ofAll, values] : [ofTree, [...values, under]]
}

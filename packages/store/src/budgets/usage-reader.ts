import { asKeys } from '../database/seen-workspaces.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** What usage can be added up by, apart from labels. */
const GROUPS = {
  workspace: 'u.workspace',
  team: `coalesce((select t.team from workspace_team t
     where t.tenant_id = skein_current_tenant() and t.workspace = u.workspace), '')`,
  persona: 'u.persona',
  model: 'u.model',
  account: `u.owner_provider || '/' || u.account`,
} as const

type UsageGrouping = keyof typeof GROUPS | 'label'

const COLUMNS = {
  name: 'text?',
  time: 'timestamptz',
  cost: 'bigint',
  input: 'bigint',
  cached: 'bigint',
  output: 'bigint',
  names: 'int',
} as const

/** Beyond the most expensive groups, all others are one, without a name. Usage without a name is part of it. */
function sums(name: string, table: string, group: string, condition: string) {
  return statement(
    name,
    `with used as materialized (
       select ${group} as name, date_trunc($2, u.hour, 'UTC') as time, sum(u.cost_micros) as cost,
         sum(u.input_tokens) as input, sum(u.cached_input_tokens) as cached, sum(u.output_tokens) as output
       from ${table} u
       where u.tenant_id = skein_current_tenant() and u.hour >= $1 and ($3::jsonb is null or $3::jsonb ? u.workspace)
         ${condition}
       group by 1, 2
     ), ranked as (
       select name, row_number() over (order by sum(cost) desc, sum(input + output) desc, name) as place
       from used where name is not null group by name
     )
     select case when r.place <= $4 then u.name end as name, u.time, sum(u.cost)::bigint as cost,
       sum(u.input)::bigint as input, sum(u.cached)::bigint as cached, sum(u.output)::bigint as output,
       (select greatest(0, count(*) - $4) from ranked)::int
         + exists (select from used where name is null)::int as names
     from used u left join ranked r on r.name = u.name group by 1, 2`,
    COLUMNS,
  )
}

const byGroup = {
  workspace: sums('usage_by_workspace', 'usage', GROUPS.workspace, ''),
  team: sums('usage_by_team', 'usage', GROUPS.team, ''),
  persona: sums('usage_by_persona', 'usage', GROUPS.persona, ''),
  model: sums('usage_by_model', 'usage', GROUPS.model, ''),
  account: sums('usage_by_account', 'usage', GROUPS.account, ''),
}

/** The function keeps_label_value says which values have no row of their own. */
const byLabel = sums(
  'usage_by_label',
  'usage_by_label',
  'case when u.label = $5 then u.value end',
  `and u.label in ($5, $5 || '=')`,
)

export interface UsageQuery {
  /** Epoch milliseconds; the start of an hour. */
  readonly since: number
  readonly unit: 'hour' | 'day'
  readonly groupBy: UsageGrouping
  /** Grouped by label: its name. */
  readonly label: string
  /** Undefined if nothing is hidden. */
  readonly workspaces: readonly string[] | undefined
  readonly most: number
}

/** What a group used in an hour or a day. */
export interface UsageSum {
  /** Undefined for all groups beyond the most expensive ones. */
  readonly name: string | undefined
  readonly time: number
  readonly costMicros: bigint
  readonly inputTokens: bigint
  readonly cachedInputTokens: bigint
  readonly outputTokens: bigint
}

/** Also says how many groups have no name. */
export async function readUsageSums(
  transaction: Transaction,
  { since, unit, groupBy, label, workspaces, most }: UsageQuery,
): Promise<{ sums: UsageSum[]; others: number }> {
  const values = [new Date(since), unit, workspaces ? asKeys(workspaces) : null, most]
  const rows =
    groupBy === 'label'
      ? await transaction.rows(byLabel, [...values, label])
      : await transaction.rows(byGroup[groupBy], values)
  return {
    others: rows[0]?.names ?? 0,
    sums: rows.map((row) => ({
      name: row.name ?? undefined,
      time: row.time.getTime(),
      costMicros: BigInt(row.cost),
      inputTokens: BigInt(row.input),
      cachedInputTokens: BigInt(row.cached),
      outputTokens: BigInt(row.output),
    })),
  }
}

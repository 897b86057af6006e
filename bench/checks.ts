import { Client } from 'pg'

/** At most so many agents are compared, from both ends of the table. */
const SAMPLE = 20_000

/**
 * Fewer updates in place mean that rows were not what commands write, so that each wrote every index: 0.08. With
 * messages to neighbours at the same time it was 0.80, because a page has room for one more version of an agent, and
 * with messages in no such order 0.96.
 */
const LEAST_IN_PLACE = 0.9

/**
 * Fails if the database is not what production would have: figures would then be of something else. An earlier
 * benchmark counted polls as completed runs that had brought nothing.
 */
export class DataCheck {
  readonly #ownerUrl: string
  readonly #serverUrl: string

  constructor({ ownerUrl, serverUrl }: { readonly ownerUrl: string; readonly serverUrl: string }) {
    this.#ownerUrl = ownerUrl
    this.#serverUrl = serverUrl
  }

  /** Before the first round and after the last one: everything rests. */
  async requireSound(): Promise<void> {
    const problems = await withClient(this.#ownerUrl, async (owner) => [
      ...(await found(owner, 'agents whose columns differ from their state', DIFFERENT, [SAMPLE])),
      ...(await found(owner, 'runs or leases of agents at rest', UNRESTING, [])),
      ...(await found(owner, 'agents that are counted wrong', MISCOUNTED, [])),
    ])
    problems.push(...(await withClient(this.#serverUrl, misplanned)))
    if (problems.length > 0) throw new Error(`The data is not as in production: ${problems.join('; ')}`)
  }

  /** After the rounds. */
  async requireUpdatesInPlace(): Promise<void> {
    const share = await withClient(this.#ownerUrl, async (owner) => {
      await owner.query('select pg_stat_force_next_flush()')
      const { rows } = await owner.query<{ share: number }>(
        `select n_tup_hot_upd / greatest(n_tup_upd, 1)::float8 as share from pg_stat_user_tables where relname = 'agent'`,
      )
      return rows[0]?.share ?? 0
    })
    if (share < LEAST_IN_PLACE)
      throw new Error(`Only ${(share * 100).toFixed(1)} % of the updates of agents were in place`)
  }
}

/** Only Skein's own tenant has counts; the bare engine keeps none. */
const MISCOUNTED = `
  select 'live ' || l.live || ', counted ' || l.counted || ', waiting ' || l.waiting as example
  from (select t.id,
      (select count(*) from agent a where a.tenant_id = t.id and not a.is_terminal) as live,
      (select sum(amount) from live_agents c where c.tenant_id = t.id) as counted,
      (select sum(waiting) from fleet_count f where f.tenant_id = t.id) as waiting
    from tenant t where t.org = 'bench') l
  where l.live is distinct from l.counted or l.live is distinct from l.waiting`

const UNRESTING = `
  select r.agent_key as example from run r
  union all select l.agent_id::text from lease l`

const DIFFERENT = `
  select a.key as example
  from ((select * from agent order by id limit $1) union all (select * from agent order by id desc limit $1)) a
  where a.id::text <> a.state ->> 'id'
    or a.phase <> a.state ->> 'phase'
    or a.phase <> 'PHASE_WAITING'
    or a.is_terminal
    or a.pool <> a.state ->> 'pool'
    or a.cost_micros <> (a.state -> 'usage' ->> 'costMicros')::bigint
    or a.labels <> (a.state -> 'labels')::jsonb
    or a.workspace <> a.state -> 'identity' ->> 'workspace'
    or a.account <> a.state -> 'identity' ->> 'account'
    or a.key <> concat_ws('/', a.workspace, a.owner_provider, a.account, a.state -> 'identity' -> 'path' ->> 0)
    -- The bare engine keeps nothing for lists.
    or (a.key like '%/r%' and a.listed ->> 'createdAt' is distinct from a.state ->> 'createdAt')
    -- The bare engine does not keep the time in the state of agents it spawns.
    or (a.key like '%/r%' and a.created_at <> to_timestamp((a.state ->> 'createdAt')::bigint / 1000.0))`

async function found(owner: Client, what: string, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await owner.query<{ example: string }>(`${text} limit 1`, values)
  return rows.map(({ example }) => `${what}, such as ${example}`)
}

/** The server's login carries its planner settings (docs/adr/0037). */
async function misplanned(server: Client): Promise<string[]> {
  const { rows } = await server.query<{ setting: string }>(
    `select current_setting('enable_seqscan') || ' ' || current_setting('enable_mergejoin') as setting`,
  )
  return rows[0]?.setting === 'off off' ? [] : ["the server's login lacks its planner settings"]
}

async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

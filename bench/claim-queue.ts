import { readFile } from 'node:fs/promises'
import { NO_CEILING } from '@skein/core'
import { claimRuns, Database, migrate, prepareServerLogin, type ClaimedRun } from '@skein/store'
import { Client } from 'pg'

/** How many tenants wait, how many runs of each do, and how many runs of each are leased. */
export interface Scene {
  readonly tenants: number
  readonly waiting: number
  readonly leased: number
  /** Whether the runner serves all tenants, or the first one. */
  readonly servesAll: boolean
}

const LOGIN = 'bench_claims'
const FIRST_TENANT = '00000000-0000-7000-9000-000000000001'
/** Nothing reaches a limit here, but every claim has to know that. */
const NO_LIMIT = 1_000_000

/** Runs of tenants in a database of its own. */
export class ClaimQueue {
  readonly #owner: Client
  readonly #database: Database
  readonly #tenantId: string | undefined

  private constructor(owner: Client, database: Database, tenantId: string | undefined) {
    this.#owner = owner
    this.#database = database
    this.#tenantId = tenantId
  }

  /** `urlOf` gives the owner's address of a database. */
  static async open(urlOf: (database: string) => string, name: string, scene: Scene): Promise<ClaimQueue> {
    await asOwner(urlOf('postgres'), (admin) => admin.query(`create database ${name}`))
    await migrate({ connectionString: urlOf(name) })
    const owner = new Client({ connectionString: urlOf(name) })
    await owner.connect()
    await owner.query(
      `do $$ begin create role ${LOGIN} login password 'bench' in role skein_server;
       exception when duplicate_object then null; end $$`,
    )
    await seed(owner, scene)
    const url = new URL(urlOf(name))
    url.username = LOGIN
    url.password = 'bench'
    await prepareServerLogin({ connectionString: url.href, connectMs: 10_000 })
    const database = new Database({
      connectionString: url.href,
      maxConnections: 1,
      applicationName: 'bench-claims',
    })
    return new ClaimQueue(owner, database, scene.servesAll ? undefined : FIRST_TENANT)
  }

  /**
   * Returns the CPU time that it took PostgreSQL, in milliseconds: the time on the clock is mostly that of the disk and
   * of whatever else runs on the machine. Then the run goes to the end of the queue.
   */
  async claimOne(): Promise<number> {
    const backend = await this.#backend()
    const before = await cpuMsOf(backend)
    const claimed = await this.#database.statement((transaction) =>
      claimRuns(transaction, {
        tenantId: this.#tenantId,
        pools: ['default'],
        amount: 1,
        runner: 'bench',
        leaseMs: 60_000,
        tenantLimit: NO_LIMIT,
        poolLimit: NO_LIMIT,
        refused: [],
        ceiling: NO_CEILING,
      }),
    )
    const time = (await cpuMsOf(backend)) - before
    const [run] = claimed ?? []
    if (!run) throw new Error('A claim brought no run, though some were waiting')
    await this.#requeue(run)
    return time
  }

  async close(): Promise<void> {
    await this.#database.close()
    await this.#owner.end()
  }

  /** The process of the only connection, which is another one after some seconds without a claim. */
  async #backend(): Promise<number> {
    const { rows } = await this.#database.statement((transaction) =>
      transaction.query('select pg_backend_pid() as pid'),
    )
    const [row] = rows as [{ pid: number }]
    return row.pid
  }

  async #requeue({ agentId, tenantId }: ClaimedRun): Promise<void> {
    await this.#owner.query('update run set is_leased = false, available_at = now() where agent_id = $1', [
      agentId,
    ])
    await this.#owner.query('delete from lease where agent_id = $1', [agentId])
    await this.#owner.query('select wait_for_turn($1)', [tenantId])
  }
}

/** Only on Linux. */
async function cpuMsOf(pid: number): Promise<number> {
  const [nanoseconds = ''] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ', 1)
  return Number(nanoseconds) / 1e6
}

async function seed(owner: Client, { tenants, waiting, leased }: Scene): Promise<void> {
  // Foreign keys would be checked row by row.
  await owner.query('set session_replication_role = replica')
  await owner.query(
    `create function tenant_of(n int) returns uuid immutable language sql
     return ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  )
  await owner.query(
    `insert into tenant (id, provider, org)
     select tenant_of(n), 'PROVIDER_CODEHOST_APP', 'org-' || n from generate_series(1, $1::int) n`,
    [tenants],
  )
  await owner.query(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     select gen_random_uuid(), tenant_of(t), k.key, k.key, 'default', 1, 1, n <= $3, now() - n * interval '1 ms'
     from generate_series(1, $1::int) t, generate_series(1, $2::int + $3::int) n,
       lateral (select 'default/PROVIDER_CODEHOST_OAUTH/ada/r' || n as key) k`,
    [tenants, waiting, leased],
  )
  await owner.query(
    `insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
     select agent_id, tenant_id, 1, 1, 'bench', now() + interval '1 day' from run where is_leased`,
  )
  await owner.query(
    `insert into tenant_turn (tenant_id, last_served_at)
     select id, now() - random() * interval '1 hour' from tenant`,
  )
  await owner.query('set session_replication_role = origin')
  await owner.query('vacuum analyze')
}

async function asOwner(connectionString: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

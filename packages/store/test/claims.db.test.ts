import { NO_CEILING } from '@skein/core'
import { createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { claimRuns, Database, maintainPartitions, prepareServerLogin, type ClaimedRun } from '../src/index.ts'

let owner: Client
let database: Database

beforeEach(async () => {
  const { ownerUrl, serverUrl } = await createTestDatabase()
  await prepareServerLogin({ connectionString: serverUrl, connectMs: 10_000 })
  owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  database = new Database({ connectionString: serverUrl, maxConnections: 8, applicationName: 'test' })
  await owner.query(
    `create function tenant_of(n int) returns uuid immutable language sql
     return ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  )
  return () => Promise.all([owner.end(), database.close()])
})

/** Tenants 1 to so many, each with its own number of queued runs. */
async function queueRuns(tenants: number, runsOf: string): Promise<void> {
  await owner.query(
    `insert into tenant (id, provider, org)
     select tenant_of(n), 'PROVIDER_CODEHOST_APP', 'org-' || n from generate_series(1, $1::int) n`,
    [tenants],
  )
  await owner.query(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     select gen_random_uuid(), tenant_of(n), 'k' || i, 'k' || i, 'default', 1, 1, false, now() - interval '1 second'
     from generate_series(1, $1::int) n, generate_series(1, ${runsOf}) i`,
    [tenants],
  )
  await owner.query('select wait_for_turn(id) from tenant')
}

async function claim(amount: number, { tenantId, limit = 1000 }: { tenantId?: string; limit?: number } = {}) {
  for (;;) {
    const claimed = await database.statement((transaction) =>
      claimRuns(transaction, {
        tenantId,
        pools: ['default'],
        amount,
        runner: 'test',
        leaseMs: 60_000,
        tenantLimit: limit,
        poolLimit: 1000,
        refused: [],
        ceiling: NO_CEILING,
      }),
    )
    if (claimed) return claimed
  }
}

/** Claims until nothing more fits. */
async function drain(limit: number): Promise<ClaimedRun[]> {
  const runs: ClaimedRun[] = []
  for (;;) {
    const claimed = await claim(9, { limit })
    if (claimed.length === 0) return runs
    runs.push(...claimed)
  }
}

/** As when runs end. */
async function end(runs: readonly ClaimedRun[]): Promise<void> {
  const ids = runs.map(({ agentId }) => agentId)
  await owner.query('delete from run where agent_id = any($1::uuid[])', [ids])
  await owner.query('delete from lease where agent_id = any($1::uuid[])', [ids])
}

function countByTenant(runs: readonly ClaimedRun[]): number[] {
  const byTenant = Map.groupBy(runs, ({ tenantId }) => tenantId)
  return [...byTenant.values()].map(({ length }) => length)
}

async function isWaiting(): Promise<boolean> {
  const { rows } = await owner.query<{ found: boolean }>(
    'select exists (select from tenant_turn where is_waiting) as found',
  )
  return rows[0]?.found ?? false
}

test('a thousand tenants of very different size are served in turn, whatever they have queued', async () => {
  // One in a hundred has a hundred runs, one in ten has ten, the others have one.
  await queueRuns(1_000, 'case when n % 100 = 0 then 100 when n % 10 = 0 then 10 else 1 end')
  expect(countByTenant(await claim(1_000))).toEqual(Array.from({ length: 1_000 }, () => 1))
  const second: ClaimedRun[] = []
  while (second.length < 100) second.push(...(await claim(7)).slice(0, 100 - second.length))
  expect(countByTenant(second)).toEqual(Array.from({ length: 100 }, () => 1))
})

test('limits of tenants of very different size hold under concurrent claims, and nothing is left that fits', async () => {
  await queueRuns(300, 'case when n % 10 = 0 then 20 else n % 4 end')
  const claimed = (await Promise.all([drain(3), drain(3), drain(3), drain(3)])).flat()
  const { rows } = await owner.query<{ expected: string }>(
    'select sum(least(c, 3)) as expected from (select count(*) as c from run group by tenant_id) as s',
  )
  expect(claimed).toHaveLength(Number(rows[0]?.expected))
  expect(Math.max(...countByTenant(claimed))).toBe(3)
})

test('what ended makes room, although ends are not counted', async () => {
  await queueRuns(1, '100')
  const [tenantId = ''] = (await claim(1)).map((run) => run.tenantId)
  for (const by of [undefined, tenantId]) {
    const first = await claim(50, { limit: 10, ...(by !== undefined && { tenantId: by }) })
    expect(await claim(50, { limit: 10, ...(by !== undefined && { tenantId: by }) })).toEqual([])
    await end(first.slice(0, 4))
    expect(await claim(50, { limit: 10, ...(by !== undefined && { tenantId: by }) })).toHaveLength(4)
    await owner.query('delete from lease')
    await owner.query('delete from run where is_leased')
  }
})

test('claims forget a tenant without runs, and remember it when one is queued', async () => {
  await queueRuns(1, '1')
  await end(await claim(1))
  expect(await isWaiting()).toBe(true)
  expect(await claim(1)).toEqual([])
  expect(await isWaiting()).toBe(false)
  await owner.query(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     values (gen_random_uuid(), tenant_of(1), 'k', 'k', 'default', 1, 1, false, now())`,
  )
  await owner.query('select wait_for_turn(tenant_of(1))')
  expect(await claim(1)).toHaveLength(1)
})

test('a claim that finds nothing does not overlook a run that is about to be committed', async () => {
  await queueRuns(1, '1')
  await end(await claim(1))
  await owner.query('begin')
  await owner.query(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     values (gen_random_uuid(), tenant_of(1), 'k', 'k', 'default', 1, 1, false, now())`,
  )
  await owner.query('select wait_for_turn(tenant_of(1))')
  expect(await claim(1)).toEqual([])
  await owner.query('commit')
  expect(await claim(1)).toHaveLength(1)
})

test('maintenance recalls tenants whose runs were queued by an older build', async () => {
  await queueRuns(3, '2')
  await owner.query('update tenant_turn set is_waiting = false')
  await owner.query('delete from tenant_turn where tenant_id = tenant_of(2)')
  expect(await claim(3)).toEqual([])
  await database.withoutTenant((transaction) => maintainPartitions(transaction, {}))
  expect(countByTenant(await claim(3))).toEqual([1, 1, 1])
})

import type { RunnerOffers } from '@skein/contract'
import type { Transaction } from '../database/transaction.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

const note = statement('note_runner', 'select note_runner($1, $2, $3, $4, $5, $6)')
const list = statement('list_runners', 'select * from list_runners($1, $2, $3)', {
  name: 'text',
  pools: 'text[]',
  all_tenants: 'boolean',
  offers: meant<Offers>('jsonb'),
  seen_at: 'timestamptz',
  is_online: 'boolean',
})
const poolWork = statement('list_pool_work', 'select * from list_pool_work($1)', {
  name: 'text',
  queued: 'int',
  queued_since: 'timestamptz?',
  delayed: 'int',
  running: 'int',
})

const onlinePools = statement('list_online_pools', 'select * from list_online_pools($1, $2) as name', {
  name: 'text',
})

const poolTotals = statement('read_pool_totals', 'select * from read_pool_totals($1, $2, $3, $4)', {
  pool: 'text',
  queued: 'int',
  oldest_seconds: 'float8',
  running: 'int',
  runners: 'int',
})

/** Empty for a runner that says nothing about itself. */
type Offers = Readonly<Partial<Omit<RunnerOffers, 'name'>>>

/** What a runner last said about itself. */
export interface RunnerNote {
  readonly tenantId: string
  readonly token: string
  readonly name: string
  readonly pools: readonly string[]
  readonly servesAllTenants: boolean
  readonly offers: Offers
}

export interface RunnerRecord {
  readonly name: string
  readonly pools: readonly string[]
  readonly servesAllTenants: boolean
  readonly offers: Offers
  readonly seenAt: number
  readonly isOnline: boolean
}

/** The work of one pool; pools without work have none. */
export interface PoolWork {
  readonly name: string
  readonly queued: number
  readonly queuedSince: number | undefined
  readonly delayed: number
  readonly running: number
}

/** Binds itself to the tenant. Writes only if something is new or the row is getting old. */
export async function noteRunner(transaction: Transaction, runner: RunnerNote): Promise<void> {
  await transaction.execute(note, [
    runner.tenantId,
    runner.token,
    runner.name,
    runner.pools,
    runner.servesAllTenants,
    JSON.stringify(runner.offers),
  ])
}

/** The tenant's runners and those that serve all tenants. The caller's access to the tenant was checked before. */
export async function listRunners(
  transaction: Transaction,
  tenantId: string,
  times: { readonly withinMs: number; readonly onlineMs: number },
): Promise<RunnerRecord[]> {
  const rows = await transaction.rows(list, [tenantId, times.withinMs, times.onlineMs])
  return rows.map((row) => ({
    name: row.name,
    pools: row.pools,
    servesAllTenants: row.all_tenants,
    offers: row.offers,
    seenAt: row.seen_at.getTime(),
    isOnline: row.is_online,
  }))
}

export async function listPoolWork(transaction: Transaction, tenantId: string): Promise<PoolWork[]> {
  const rows = await transaction.rows(poolWork, [tenantId])
  return rows.map(({ queued_since, ...row }) => ({ ...row, queuedSince: queued_since?.getTime() }))
}

/** Pools currently served by a runner of the tenant or of all tenants. */
export async function listOnlinePools(
  transaction: Transaction,
  tenantId: string,
  onlineMs: number,
): Promise<string[]> {
  const rows = await transaction.rows(onlinePools, [tenantId, onlineMs])
  return rows.map(({ name }) => name)
}

/** The work of all tenants in pools of this name. */
export interface PoolTotals {
  /** Empty for all pools that were not named. */
  readonly pool: string
  readonly queued: number
  readonly oldestSeconds: number
  readonly running: number
  readonly runners: number
}

/** Sees all tenants: for metrics, never for callers. Counted by one server for all. */
export async function readPoolTotals(
  transaction: Transaction,
  {
    named,
    freshMs,
    onlineMs,
    most,
  }: {
    readonly named: readonly string[]
    /** Totals are counted at most this often. */
    readonly freshMs: number
    readonly onlineMs: number
    /** Queued runs counted per tenant and pool. */
    readonly most: number
  },
): Promise<PoolTotals[]> {
  const rows = await transaction.rows(poolTotals, [named, freshMs, onlineMs, most])
  return rows.map(({ oldest_seconds: oldestSeconds, ...row }) => ({ ...row, oldestSeconds }))
}

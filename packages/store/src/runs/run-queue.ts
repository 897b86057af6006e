import type { Ceiling } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import type { RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

/** These functions see all tenants: they are for runners and the sweeper, never for callers. */

const RUN = {
  tenant_id: 'uuid',
  agent_id: 'uuid',
  agent_key: 'text',
  root_key: 'text',
  run_id: 'bigint',
  attempt: 'int',
} as const

/** A row of nulls means that others were claiming. */
const RUN_OR_NOTHING = {
  tenant_id: 'uuid?',
  agent_id: 'uuid?',
  agent_key: 'text?',
  root_key: 'text?',
  run_id: 'bigint?',
  attempt: 'int?',
  traceparent: 'text?',
} as const

const claim = statement(
  'claim_permitted_runs',
  `select tenant_id, agent_id, agent_key, root_key, run_id, attempt, traceparent
   from claim_permitted_runs($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  RUN_OR_NOTHING,
)

const touch = statement('touch_leases', 'select agent_id from touch_leases($1, $2, $3, $4, $5)', {
  agent_id: 'uuid',
})

const expired = statement('take_expired_leases', 'select * from take_expired_leases($1, $2)', RUN)

const due = statement(
  'take_due_timers',
  'select tenant_id, agent_key, root_key, follow_up_id from take_due_timers($1, $2)',
  { tenant_id: 'uuid', agent_key: 'text', root_key: 'text', follow_up_id: 'text' },
)

const retries = statement('pools_with_retries', 'select * from pools_with_retries($1)', {
  tenant_id: 'uuid',
  pool: 'text',
})

const changed = statement('agents_changed_since', 'select agent_id from agents_changed_since($1, $2)', {
  agent_id: 'uuid',
})

const release = statement(
  'run_release',
  `update run set is_leased = false where tenant_id = skein_current_tenant() and agent_id = $1 and run_id = $2
     and attempt = $3`,
)

const dropLease = statement(
  'lease_drop',
  `delete from lease where tenant_id = skein_current_tenant() and agent_id = $1 and run_id = $2 and attempt = $3`,
)

const waitForTurn = statement('wait_for_turn', 'select wait_for_turn(skein_current_tenant())')

const holder = statement(
  'lease_holder',
  `select runner from lease
   where tenant_id = skein_current_tenant() and agent_id = $1 and run_id = $2 and attempt = $3`,
  { runner: 'text' },
)

/** An attempt of a run, with its agent. */
export interface LeaseRef {
  readonly tenantId: string
  readonly agentId: string
  readonly runId: bigint
  readonly attempt: number
}

export interface ClaimedRun extends LeaseRef {
  readonly agentKey: string
  readonly rootKey: string
  /** The span that queued it; absent if nobody traces. */
  readonly traceparent?: string
}

type RunRow = RowOf<typeof RUN>
type ClaimedRow = RunRow & Pick<RowOf<typeof RUN_OR_NOTHING>, 'traceparent'>

export interface Claim {
  /** Absent for a runner that serves all tenants. */
  readonly tenantId: string | undefined
  readonly pools: readonly string[]
  readonly amount: number
  readonly runner: string
  readonly leaseMs: number
  /** For tenants and pools without a limit of their own. */
  readonly tenantLimit: number
  readonly poolLimit: number
  /** What the runner cannot provide: a network as `sandbox/policy`, a machine limit as `sandbox/field`. */
  readonly refused: readonly string[]
  /** For tenants without a ceiling of their own. */
  readonly ceiling: Ceiling
}

/** Undefined if nothing was claimed only because others were claiming at the same time: ask again. */
export async function claimRuns(transaction: Transaction, wanted: Claim): Promise<ClaimedRun[] | undefined> {
  const rows = await transaction.rows(claim, [
    wanted.tenantId ?? null,
    wanted.pools,
    wanted.amount,
    wanted.runner,
    wanted.leaseMs,
    wanted.tenantLimit,
    wanted.poolLimit,
    wanted.refused,
    JSON.stringify(wanted.ceiling),
  ])
  const runs = rows.filter(isRun)
  return runs.length < rows.length ? undefined : runs.map(toClaimed)
}

/** Renews the leases the runner still holds. Returns their agents. */
export async function touchLeases(
  transaction: Transaction,
  runner: string,
  leases: readonly LeaseRef[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await transaction.rows(touch, [
    runner,
    leases.map(({ agentId }) => agentId),
    leases.map(({ runId }) => runId),
    leases.map(({ attempt }) => attempt),
    leaseMs,
  ])
  return new Set(rows.map((row) => row.agent_id))
}

/** Also records that a server is running: periods without one don't count against leases. */
export async function takeExpiredLeases(
  transaction: Transaction,
  amount: number,
  leaseMs: number,
): Promise<ClaimedRun[]> {
  const rows = await transaction.rows(expired, [amount, leaseMs])
  return rows.map(toClaimed)
}

export interface DueTimer {
  readonly tenantId: string
  readonly agentKey: string
  readonly rootKey: string
  readonly followUpId: string
}

/** Earliest first. */
export async function takeDueTimers(
  transaction: Transaction,
  amount: number,
  at: number,
): Promise<DueTimer[]> {
  const rows = await transaction.rows(due, [amount, new Date(at)])
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    agentKey: row.agent_key,
    rootKey: row.root_key,
    followUpId: row.follow_up_id,
  }))
}

/** Pools with a run whose retry became due since then. */
export async function poolsWithRetries(
  transaction: Transaction,
  since: number,
): Promise<{ tenantId: string; pool: string }[]> {
  const rows = await transaction.rows(retries, [new Date(since)])
  return rows.map((row) => ({ tenantId: row.tenant_id, pool: row.pool }))
}

/** Which of these agents changed since then, in any tenant. */
export async function agentsChangedSince(
  transaction: Transaction,
  agentIds: readonly string[],
  since: number,
): Promise<string[]> {
  const rows = await transaction.rows(changed, [agentIds, new Date(since)])
  return rows.map((row) => row.agent_id)
}

/** Puts a run that was claimed but never started back into the queue. */
export async function releaseRun(
  transaction: Transaction,
  { agentId, runId, attempt }: LeaseRef,
): Promise<void> {
  await transaction.execute(release, [agentId, runId, attempt])
  await transaction.execute(waitForTurn, [])
  await transaction.execute(dropLease, [agentId, runId, attempt])
}

export async function leaseHolder(
  transaction: Transaction,
  { agentId, runId, attempt }: LeaseRef,
): Promise<string | undefined> {
  const row = await transaction.row(holder, [agentId, runId, attempt])
  return row?.runner
}

function isRun(row: RowOf<typeof RUN_OR_NOTHING>): row is ClaimedRow {
  return row.agent_id !== null
}

function toClaimed(row: RunRow | ClaimedRow): ClaimedRun {
  return {
    tenantId: row.tenant_id,
    agentId: row.agent_id,
    agentKey: row.agent_key,
    rootKey: row.root_key,
    runId: BigInt(row.run_id),
    attempt: row.attempt,
    ...('traceparent' in row && row.traceparent !== null && { traceparent: row.traceparent }),
  }
}

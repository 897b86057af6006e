import type { BudgetHold, BudgetNotice, BudgetScope } from '@skein/core'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const put = statement(
  'budget_put',
  'select put_budget(skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7::timestamptz[], $8)',
)

const drop = statement('budget_drop', 'select drop_budget(skein_current_tenant(), $1)')

const count = statement(
  'budget_count',
  'select count(*)::int as amount from budget where tenant_id = skein_current_tenant()',
  { amount: 'int' },
)

const reserve = statement(
  'reserve_call',
  'select reserve_call(skein_current_tenant(), $1, $2, $3, $4, $5, $6) as reserved',
  { reserved: 'json?' },
)

/** At most as many budgets as a tenant can have, with at most 17 parts each. */
const months = statement(
  'budget_months',
  `select b.name, b.amount_micros, b.is_hard, m.start as month,
     b.month_starts[greatest(1, width_bucket($2::timestamptz, b.month_starts)) + 1] as next_month,
     coalesce(s.spent, 0)::bigint as spent, coalesce(s.reserved, 0)::bigint as reserved,
     n.percent::int as percent, n.amount_micros as told_amount
   from budget b
   cross join lateral (select budget_month(b.month_starts, $2) as start) m
   cross join lateral (
     select sum(p.spent_micros) as spent, sum(p.reserved_micros) as reserved from budget_spend p
     where p.tenant_id = skein_current_tenant() and p.budget = b.name and p.month = m.start) s
   left join budget_notice n
     on n.tenant_id = skein_current_tenant() and n.budget = b.name and n.month = m.start
   where b.tenant_id = skein_current_tenant() and ($1::text[] is null or b.name = any($1))
   order by b.name`,
  {
    name: 'text',
    amount_micros: 'bigint',
    is_hard: 'boolean',
    month: 'timestamptz',
    next_month: 'timestamptz?',
    spent: 'bigint',
    reserved: 'bigint',
    percent: 'int?',
    told_amount: 'bigint?',
  },
)

const lockNotice = statement(
  'budget_notice_lock',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text || '/notice/' || $1, 3))`,
)

const note = statement(
  'budget_notice_put',
  `insert into budget_notice (tenant_id, budget, month, percent, amount_micros)
   values (skein_current_tenant(), $1, $2, $3, $4)
   on conflict (tenant_id, budget) do update set month = excluded.month, percent = excluded.percent,
     amount_micros = excluded.amount_micros`,
)

const holds = statement(
  'budget_holds',
  `select h.budget, h.agent_id, h.agent_key, h.root_key, h.run_id, h.attempt, h.need_micros,
     exists (select from agent a,
       budgets_of(skein_current_tenant(), a.workspace, a.owner_provider, a.account,
         labels_in_tree(skein_current_tenant(), a.root_key, a.labels)) b
       where a.id = h.agent_id and a.tenant_id = skein_current_tenant() and b.name = h.budget) as covered
   from unnest($1::text[]) n(budget)
   cross join lateral (
     select * from budget_hold h where h.tenant_id = skein_current_tenant() and h.budget = n.budget
     order by h.created_at, h.agent_id limit $2) h
   order by h.budget, h.created_at, h.agent_id`,
  {
    budget: 'text',
    agent_id: 'uuid',
    agent_key: 'text',
    root_key: 'text',
    run_id: 'bigint',
    attempt: 'int',
    need_micros: 'bigint',
    covered: 'boolean',
  },
)

const endHold = statement(
  'budget_hold_end',
  `delete from budget_hold where tenant_id = skein_current_tenant() and agent_id = $1 and run_id = $2`,
)

const active = statement('list_active_budgets', 'select tenant_id, budget from list_active_budgets()', {
  tenant_id: 'uuid',
  budget: 'text',
})

const expire = statement('expire_reservations', 'select expire_reservations($1)::int as amount', {
  amount: 'int',
})

/** The document of a budget, as model calls ask for it. */
export interface StoredBudget extends BudgetScope {
  readonly amountMicros: bigint
  readonly isHard: boolean
  /** Epoch milliseconds, from the current month on. */
  readonly monthStarts: readonly number[]
}

/** A budget in its current month. */
export interface BudgetMonth {
  readonly name: string
  readonly amountMicros: bigint
  readonly isHard: boolean
  readonly spentMicros: bigint
  readonly reservedMicros: bigint
  /** When the month began and when the next one does. */
  readonly month: number
  readonly nextMonth: number | undefined
  readonly notice: BudgetNotice | undefined
}

/** The call of a run that is about to be made. */
export interface PlannedCall {
  readonly agentId: string
  readonly runId: bigint
  readonly attempt: number
  readonly estimateMicros: bigint
  readonly at: number
  readonly expiresAt: number
}

/** The hard budget with the least left, without what this call reserved. */
export interface ReservedCall {
  readonly amountMicros: bigint
  readonly usedMicros: bigint
  readonly refusal: { readonly budget: string; readonly until: number | undefined } | undefined
}

/** An agent that waits for a budget, with the run that it stopped. */
export interface HeldRun extends BudgetHold {
  readonly budget: string
  readonly agentId: string
  readonly agentKey: string
  readonly rootKey: string
  readonly runId: bigint
  readonly attempt: number
}

/** Monthly budgets of the transaction's tenant. */
export class BudgetStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async put(name: string, budget: StoredBudget, at: number): Promise<void> {
    const { scope, subject, labelValue, amountMicros, isHard, monthStarts } = budget
    const starts = monthStarts.map((start) => new Date(start))
    await this.#transaction.execute(put, [
      name,
      scope,
      subject,
      labelValue,
      amountMicros,
      isHard,
      starts,
      new Date(at),
    ])
  }

  async drop(name: string): Promise<void> {
    await this.#transaction.execute(drop, [name])
  }

  async count(): Promise<number> {
    return (await this.#transaction.row(count, []))?.amount ?? 0
  }

  /** Undefined if no hard budget applies. */
  async reserve({
    agentId,
    runId,
    attempt,
    estimateMicros,
    at,
    expiresAt,
  }: PlannedCall): Promise<ReservedCall | undefined> {
    const row = await this.#transaction.row(reserve, [
      agentId,
      runId,
      attempt,
      estimateMicros,
      new Date(at),
      new Date(expiresAt),
    ])
    return parseReserved(row?.reserved)
  }

  /** Of these names, or all. */
  async months(at: number, names?: readonly string[]): Promise<BudgetMonth[]> {
    const rows = await this.#transaction.rows(months, [names ?? null, new Date(at)])
    return rows.map((row) => ({
      name: row.name,
      amountMicros: BigInt(row.amount_micros),
      isHard: row.is_hard,
      spentMicros: BigInt(row.spent),
      reservedMicros: BigInt(row.reserved),
      month: row.month.getTime(),
      nextMonth: row.next_month?.getTime(),
      notice:
        row.percent === null || row.told_amount === null
          ? undefined
          : { percent: row.percent, amountMicros: BigInt(row.told_amount) },
    }))
  }

  /** One server at a time tells about a budget. */
  async lockNotice(name: string): Promise<void> {
    await this.#transaction.execute(lockNotice, [name])
  }

  async note(name: string, month: number, { percent, amountMicros }: BudgetNotice): Promise<void> {
    await this.#transaction.execute(note, [name, new Date(month), percent, amountMicros])
  }

  /** For each of these budgets, the longest-waiting first and no more than this amount. */
  async holds(names: readonly string[], amount: number): Promise<HeldRun[]> {
    const rows = await this.#transaction.rows(holds, [names, amount])
    return rows.map((row) => ({
      budget: row.budget,
      agentId: row.agent_id,
      agentKey: row.agent_key,
      rootKey: row.root_key,
      runId: BigInt(row.run_id),
      attempt: row.attempt,
      needMicros: BigInt(row.need_micros),
      isCovered: row.covered,
    }))
  }

  async endHold({ agentId, runId }: Pick<HeldRun, 'agentId' | 'runId'>): Promise<void> {
    await this.#transaction.execute(endHold, [agentId, runId])
  }
}

function parseReserved(json: unknown): ReservedCall | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const read = (name: string): unknown => Reflect.get(json, name)
  const budget = read('refusedBy')
  const until = read('refusedUntil')
  return {
    amountMicros: BigInt(String(read('amountMicros'))),
    usedMicros: BigInt(String(read('usedMicros'))),
    refusal:
      typeof budget === 'string'
        ? { budget, until: typeof until === 'string' ? Date.parse(until) : undefined }
        : undefined,
  }
}

/** In all tenants: budgets that were spent from just now, or that agents wait for. */
export async function listActiveBudgets(
  transaction: Transaction,
): Promise<{ tenantId: string; budget: string }[]> {
  const rows = await transaction.rows(active, [])
  return rows.map(({ tenant_id, budget }) => ({ tenantId: tenant_id, budget }))
}

/** In all tenants. Returns how many calls were never settled. */
export async function expireReservations(transaction: Transaction, amount: number): Promise<number> {
  return (await transaction.row(expire, [amount]))?.amount ?? 0
}

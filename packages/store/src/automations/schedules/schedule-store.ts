import type { Transaction } from '../../database/transaction.ts'
import { statement } from '../../database/statement.ts'

const arm = statement(
  'schedule_timer_arm',
  `insert into schedule_timer as s (tenant_id, name, anchored_at, decided_until, due_at)
   values (skein_current_tenant(), $1, $2, $3, $3)
   on conflict (tenant_id, name) do update set
     anchored_at = excluded.anchored_at,
     decided_until = case when $4 then excluded.decided_until else s.decided_until end,
     due_at = excluded.due_at,
     token = s.token + 1`,
)

const disarm = statement(
  'schedule_timer_disarm',
  'delete from schedule_timer where tenant_id = skein_current_tenant() and name = $1',
)

const takeTurn = statement(
  'schedule_turn_take',
  `insert into schedule_turn as t (tenant_id, due_at) values (skein_current_tenant(), $1)
   on conflict (tenant_id) do update set due_at = least(t.due_at, excluded.due_at)`,
)

const count = statement(
  'schedule_timer_count',
  'select count(*)::int as amount from schedule_timer where tenant_id = skein_current_tenant()',
  { amount: 'int' },
)

const hold = statement(
  'schedule_timer_hold',
  `select anchored_at, decided_until from schedule_timer
   where tenant_id = skein_current_tenant() and name = $1 and token = $2 for update`,
  { anchored_at: 'timestamptz', decided_until: 'timestamptz' },
)

const put = statement(
  'schedule_timer_put',
  `update schedule_timer set due_at = $3, decided_until = $4
   where tenant_id = skein_current_tenant() and name = $1 and token = $2`,
)

const lookNow = statement(
  'schedule_timer_look_now',
  `update schedule_timer set due_at = least(due_at, $2)
   where tenant_id = skein_current_tenant() and name = $1`,
)

const find = statement(
  'schedule_timer_find',
  `select name, anchored_at, decided_until from schedule_timer
   where tenant_id = skein_current_tenant() and name = any($1::text[])`,
  { name: 'text', anchored_at: 'timestamptz', decided_until: 'timestamptz' },
)

export interface ScheduleState {
  readonly anchoredAt: number
  /** All firings due up to this time are recorded, or were left out for good. */
  readonly decidedUntil: number
}

/** What the servers know about the schedules of the transaction's tenant. */
export class ScheduleStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** After a schedule was written: it is due immediately, and a server that works on it has lost it. */
  async arm(
    name: string,
    { anchoredAt, now, startsOver }: { anchoredAt: number; now: number; startsOver: boolean },
  ): Promise<void> {
    await this.#transaction.execute(arm, [name, new Date(anchoredAt), new Date(now), startsOver])
    await this.#takeTurn(now)
  }

  async disarm(name: string): Promise<void> {
    await this.#transaction.execute(disarm, [name])
  }

  /** Exact after `arm`, which makes the tenant's other writers of schedules wait. */
  async count(): Promise<number> {
    return (await this.#transaction.row(count, []))?.amount ?? 0
  }

  /** Locks a claimed schedule; undefined if another server has it, or it has changed. */
  async hold(name: string, token: bigint): Promise<ScheduleState | undefined> {
    const row = await this.#transaction.row(hold, [name, token])
    return row && { anchoredAt: row.anchored_at.getTime(), decidedUntil: row.decided_until.getTime() }
  }

  /** The held schedule is worked on until then; later, another server may take it. */
  async extend(
    name: string,
    token: bigint,
    { decidedUntil, until }: { decidedUntil: number; until: number },
  ): Promise<void> {
    await this.#transaction.execute(put, [name, token, new Date(until), new Date(decidedUntil)])
  }

  /** Ends the work on a held schedule for now. Undefined: there is nothing more to come. */
  async rest(
    name: string,
    token: bigint,
    { decidedUntil, dueAt }: { decidedUntil: number; dueAt: number | undefined },
  ): Promise<void> {
    const due = dueAt === undefined ? 'infinity' : new Date(dueAt)
    await this.#transaction.execute(put, [name, token, due, new Date(decidedUntil)])
    if (dueAt !== undefined) await this.#takeTurn(dueAt)
  }

  /** Somebody wants it to run by hand. A server that works on it finds that in its next step. */
  async lookNow(name: string, now: number): Promise<void> {
    await this.#transaction.execute(lookNow, [name, new Date(now)])
    await this.#takeTurn(now)
  }

  async findStates(names: readonly string[]): Promise<ReadonlyMap<string, ScheduleState>> {
    const rows = await this.#transaction.rows(find, [names])
    return new Map(
      rows.map((row) => [
        row.name,
        { anchoredAt: row.anchored_at.getTime(), decidedUntil: row.decided_until.getTime() },
      ]),
    )
  }

  /** Always after the timer, so that all take the locks in the same order. */
  async #takeTurn(dueAt: number): Promise<void> {
    await this.#transaction.execute(takeTurn, [new Date(dueAt)])
  }
}

import type { Transaction } from '../../database/transaction.ts'
import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'

/** The last five are final. */
export type FiringOutcome =
  /** Recorded, not yet looked at. */
  | 'pending'
  /** Until the agent of the firing before has ended. */
  | 'waiting'
  /** Decided: from here on it is carried out, by whichever server. */
  | 'starting'
  | 'started'
  | 'sent'
  | 'skipped'
  | 'missed'
  | 'failed'

const FIRING = {
  due_at: 'timestamptz',
  is_manual: 'boolean',
  outcome: meant<FiringOutcome>('text'),
  generation: 'bigint',
  agent_key: 'text',
  agent: 'text',
  replaces: 'text',
  detail: 'text',
  attempts: 'int',
  retry_at: meant<Date | number>('timestamptz'),
  created_at: 'timestamptz',
  started_at: 'timestamptz?',
  ended_at: 'timestamptz?',
} as const

const COLUMNS = Object.keys(FIRING).join(', ')
const OPEN = `outcome in ('pending', 'waiting', 'starting')`

/** What is there stays: a firing is recorded once. */
const add = statement(
  'schedule_firing_add',
  `insert into schedule_firing (tenant_id, schedule, due_at, is_manual, outcome, detail, created_at, ended_at)
   select skein_current_tenant(), $1, due_at, $3, $4, $5, $6, case when $4 = 'missed' then $6::timestamptz end
   from unnest($2::timestamptz[]) as due(due_at)
   on conflict (tenant_id, schedule, due_at) do nothing`,
)

const open = statement(
  'schedule_firing_open',
  `select ${COLUMNS} from schedule_firing
   where tenant_id = skein_current_tenant() and schedule = $1 and ${OPEN} order by due_at limit $2`,
  FIRING,
)

const previousAgent = statement(
  'schedule_firing_previous_agent',
  `select agent_key from schedule_firing
   where tenant_id = skein_current_tenant() and schedule = $1 and due_at < $2 and agent_key <> ''
   order by due_at desc limit 1`,
  { agent_key: 'text' },
)

const update = statement(
  'schedule_firing_update',
  `update schedule_firing set outcome = $3, agent_key = $4, agent = $5, replaces = $6, detail = $7, attempts = $8,
     retry_at = $9, started_at = $10, ended_at = $11, generation = $12
   where tenant_id = skein_current_tenant() and schedule = $1 and due_at = $2`,
)

const page = statement(
  'schedule_firing_page',
  `select ${COLUMNS} from schedule_firing
   where tenant_id = skein_current_tenant() and schedule = $1 and ($2::timestamptz is null or due_at < $2)
   order by due_at desc limit $3`,
  FIRING,
)

const latest = statement(
  'schedule_firing_latest',
  `select wanted.schedule, f.* from unnest($1::text[]) as wanted(schedule), lateral (
     select ${COLUMNS} from schedule_firing l
     where l.tenant_id = skein_current_tenant() and l.schedule = wanted.schedule order by l.due_at desc limit 1) f`,
  { schedule: 'text', ...FIRING },
)

export interface Firing {
  readonly dueAt: number
  readonly isManual: boolean
  readonly outcome: FiringOutcome
  /** The version of the schedule that it is carried out with; 0 until that is decided. */
  readonly generation: bigint
  /** Empty until it is known which agent it starts or sends to. */
  readonly agentKey: string
  /** Its workspace and path, separated by slashes. */
  readonly agent: string
  /** The key of the agent that is killed first; empty if none. */
  readonly replaces: string
  /** Why it was skipped, missed or failed. */
  readonly detail: string
  /** Tries that failed. */
  readonly attempts: number
  readonly retryAt: number
  readonly createdAt: number
  /** When it was decided to carry it out. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
}

/** The firings of the schedules of the transaction's tenant. */
export class FiringStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(
    schedule: string,
    dueAts: readonly number[],
    facts: { isManual: boolean; outcome: 'pending' | 'missed'; detail: string; at: number },
  ): Promise<void> {
    if (dueAts.length === 0) return
    const times = dueAts.map((dueAt) => new Date(dueAt))
    const { isManual, outcome, detail, at } = facts
    await this.#transaction.execute(add, [schedule, times, isManual, outcome, detail, new Date(at)])
  }

  /** Those that are not final, oldest first. */
  async open(schedule: string, limit: number): Promise<Firing[]> {
    return (await this.#transaction.rows(open, [schedule, limit])).map(toFiring)
  }

  /** The key of the agent of the last firing before a time that had one. */
  async previousAgent(schedule: string, before: number): Promise<string | undefined> {
    return (await this.#transaction.row(previousAgent, [schedule, new Date(before)]))?.agent_key
  }

  async update(schedule: string, firing: Firing): Promise<void> {
    await this.#transaction.execute(update, [
      schedule,
      new Date(firing.dueAt),
      firing.outcome,
      firing.agentKey,
      firing.agent,
      firing.replaces,
      firing.detail,
      firing.attempts,
      Number.isFinite(firing.retryAt) ? new Date(firing.retryAt) : '-infinity',
      firing.startedAt === undefined ? null : new Date(firing.startedAt),
      firing.endedAt === undefined ? null : new Date(firing.endedAt),
      firing.generation,
    ])
  }

  /** Newest first, from before a time. */
  async page(schedule: string, before: number | undefined, limit: number): Promise<Firing[]> {
    const rows = await this.#transaction.rows(page, [
      schedule,
      before === undefined ? null : new Date(before),
      limit,
    ])
    return rows.map(toFiring)
  }

  /** The newest firing of each of these schedules. */
  async latest(schedules: readonly string[]): Promise<ReadonlyMap<string, Firing>> {
    const rows = await this.#transaction.rows(latest, [schedules])
    return new Map(rows.map((row) => [row.schedule, toFiring(row)]))
  }
}

function toFiring(row: RowOf<typeof FIRING>): Firing {
  return {
    dueAt: row.due_at.getTime(),
    isManual: row.is_manual,
    outcome: row.outcome,
    generation: BigInt(row.generation),
    agentKey: row.agent_key,
    agent: row.agent,
    replaces: row.replaces,
    detail: row.detail,
    attempts: row.attempts,
    retryAt: Number(row.retry_at),
    createdAt: row.created_at.getTime(),
    startedAt: row.started_at?.getTime(),
    endedAt: row.ended_at?.getTime(),
  }
}

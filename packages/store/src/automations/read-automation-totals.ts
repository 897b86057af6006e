import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const read = statement(
  'read_automation_totals',
  `select read_at, answering, failing, answering_since, failing_since, disabled, outbox_since, webhooks_since, triggers_since,
     schedules_since
   from read_automation_totals($1, $2)`,
  {
    read_at: 'timestamptz',
    answering: 'int?',
    failing: 'int?',
    answering_since: 'timestamptz?',
    failing_since: 'timestamptz?',
    disabled: 'int?',
    outbox_since: 'timestamptz?',
    webhooks_since: 'timestamptz?',
    triggers_since: 'timestamptz?',
    schedules_since: 'timestamptz?',
  },
)

/** Lanes on their way to receivers of one sort, and how long the oldest has been waiting; 0 if there is none. */
interface WaitingLanes {
  readonly lanes: number
  readonly oldestSeconds: number
}

/** What automations of all tenants have to do. */
export interface AutomationTotals {
  /** Lanes to receivers whose last request was delivered, and whose last request failed. */
  readonly answering: WaitingLanes
  readonly failing: WaitingLanes
  /** Integrations that Skein disabled. */
  readonly disabled: number
  /** For how long what is due has been waiting for a server, in seconds. */
  readonly overdue: Readonly<Record<'outbox' | 'webhooks' | 'triggers' | 'schedules', number>>
}

/** Sees all tenants: for metrics, never for callers. Counted by one server for all. */
export async function readAutomationTotals(
  transaction: Transaction,
  {
    freshMs,
    most,
  }: {
    /** Totals are counted at most this often. */
    readonly freshMs: number
    /** Lanes counted per integration. */
    readonly most: number
  },
): Promise<AutomationTotals> {
  const row = await transaction.row(read, [freshMs, most])
  const now = row?.read_at.getTime() ?? 0
  const ageOf = (since: Date | null | undefined) => (since ? Math.max(0, (now - since.getTime()) / 1000) : 0)
  return {
    answering: { lanes: row?.answering ?? 0, oldestSeconds: ageOf(row?.answering_since) },
    failing: { lanes: row?.failing ?? 0, oldestSeconds: ageOf(row?.failing_since) },
    disabled: row?.disabled ?? 0,
    overdue: {
      outbox: ageOf(row?.outbox_since),
      webhooks: ageOf(row?.webhooks_since),
      triggers: ageOf(row?.triggers_since),
      schedules: ageOf(row?.schedules_since),
    },
  }
}

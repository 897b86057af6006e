import {
  budget as kind,
  formatTimestamp,
  type listBudgets as operation,
  type ResponseOf,
} from '@skein/contract'
import { parseDocument, StoredDocumentError, type Caller } from '@skein/core'
import { BudgetStore, type BudgetMonth } from '@skein/store'
import { toDollars } from '../agents/describe-agent.ts'
import type { EngineResources } from '../resources.ts'
import { listSeen } from '../catalog/seen-resources.ts'

/** More than a tenant can have. */
const ALL = 1_000

type Answer = ResponseOf<typeof operation>

/** Those that the caller sees, with what the current month has used. */
export async function listBudgets(
  { database, clock }: EngineResources,
  caller: Caller,
  tenantId: string,
): Promise<Answer> {
  return database.forTenant(tenantId, async (transaction) => {
    const seen = await listSeen(transaction, caller, kind, { after: '', limit: ALL })
    const months = await new BudgetStore(transaction).months(clock.now())
    const byName = new Map(months.map((month) => [month.name, month]))
    const budgets = seen.flatMap(({ name, document }) => {
      const month = byName.get(name)
      return month && document ? describe(month, document) : []
    })
    return { budgets }
  })
}

/** One that cannot be read any more must not hide the others. */
function describe(month: BudgetMonth, document: Readonly<Record<string, unknown>>): Answer['budgets'] {
  try {
    const { mode, timeZone, team, account, ownerProvider, label } = parseDocument(
      'budget',
      month.name,
      document,
    )
    return [
      {
        name: month.name,
        mode,
        amount: toDollars(month.amountMicros),
        spent: toDollars(month.spentMicros),
        reserved: toDollars(month.reservedMicros),
        timeZone,
        startTime: formatTimestamp(month.month),
        endTime: month.nextMonth === undefined ? '' : formatTimestamp(month.nextMonth),
        team,
        account,
        ownerProvider,
        label,
      },
    ]
  } catch (error) {
    if (error instanceof StoredDocumentError) return []
    throw error
  }
}

import { SkeinError } from '@skein/contract'
import { monthStarts, parseDocument, scopeOf, type Document } from '@skein/core'
import { BudgetStore, CatalogStore, type Transaction } from '@skein/store'
import { toMicros } from '../agents/describe-agent.ts'

/** Every model call looks through all of them. */
const MAX_BUDGETS = 200

/** Ten years. A budget that is never written again would then stay in its last month. */
const MONTHS = 120

/** What model calls ask for, written in the same transaction as the document. */
export async function putBudget(
  transaction: Transaction,
  name: string,
  { document, isNew, now }: { readonly document: Document; readonly isNew: boolean; readonly now: number },
): Promise<void> {
  const budgets = new BudgetStore(transaction)
  const { amount, mode, timeZone, ...rest } = parseDocument('budget', name, document)
  if (isNew) await new CatalogStore(transaction).lockKind('budget')
  await budgets.put(
    name,
    {
      ...scopeOf(rest),
      amountMicros: toMicros(amount),
      isHard: mode === 'hard',
      monthStarts: monthStarts(timeZone, now, MONTHS),
    },
    now,
  )
  if (!isNew || (await budgets.count()) <= MAX_BUDGETS) return
  throw new SkeinError('QUOTA_EXCEEDED', {
    message: `A tenant can have ${MAX_BUDGETS} budgets. Delete one first.`,
  })
}

export function dropBudget(transaction: Transaction, name: string): Promise<void> {
  return new BudgetStore(transaction).drop(name)
}

import type { BudgetDocument, FieldViolation } from '@skein/contract'
import { isLabelName } from '@skein/contract/facts'
import { isTimeZone } from '../automations/schedules/zone-offsets.ts'

/** Whose spending counts. */
export interface BudgetScope {
  readonly scope: 'tenant' | 'team' | 'account' | 'label'
  /** The team, provider/account, or the label's name; empty for the tenant. */
  readonly subject: string
  readonly labelValue: string
}

type ScopeFields = Pick<BudgetDocument, 'team' | 'account' | 'ownerProvider' | 'label'>

export function scopeOf({ team, account, ownerProvider, label }: ScopeFields): BudgetScope {
  if (team !== '') return { scope: 'team', subject: team, labelValue: '' }
  if (account !== '') return { scope: 'account', subject: `${ownerProvider}/${account}`, labelValue: '' }
  if (label === '') return { scope: 'tenant', subject: '', labelValue: '' }
  const [subject, labelValue] = splitLabel(label)
  return { scope: 'label', subject, labelValue }
}

/** Of a document that has passed its schema. */
type Fields = Readonly<Record<string, unknown>>

export function* budgetViolations({ team, account, label, timeZone }: Fields): Generator<FieldViolation> {
  if (!isTimeZone(String(timeZone))) {
    yield { field: 'timeZone', description: 'is not a known time zone, such as Europe/Berlin' }
  }
  const set = Object.entries({ team, account, label }).filter(([, value]) => value !== '')
  for (const [field] of set.slice(1)) {
    yield { field, description: `must be empty: the budget is for a ${set[0]?.[0] ?? ''}` }
  }
  if (label !== '' && !isLabelName(splitLabel(String(label))[0])) {
    yield { field: 'label', description: 'must be the name of a label, = and its value' }
  }
}

/** Without an equals sign, the name is empty, which no label's is. */
function splitLabel(label: string): [name: string, value: string] {
  const end = label.indexOf('=')
  return end === -1 ? ['', ''] : [label.slice(0, end), label.slice(end + 1)]
}

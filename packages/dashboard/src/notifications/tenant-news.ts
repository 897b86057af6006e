import type { BudgetEntry, IntegrationEntry } from '@skein/client'
import { formatMoney } from '../format/money.ts'
import { toOneLine } from '../format/one-line.ts'
import type { News } from './news.ts'

export interface TenantFacts {
  readonly budgets: readonly BudgetEntry[]
  readonly integrations: readonly IntegrationEntry[]
}

/** Percent of a budget that people are told about. */
const LEVELS = [100, 80]

/** Tells what is new about a tenant's budgets and integrations from how they were at the look before. */
export class TenantDesk {
  /** Undefined before the first look: what is already so is no news. */
  #known: ReadonlySet<string> | undefined

  read({ budgets, integrations }: TenantFacts): News[] {
    const all = new Map([...budgets.flatMap(describeBudget), ...integrations.flatMap(describeIntegration)])
    const known = this.#known
    this.#known = new Set(all.keys())
    return known ? [...all].filter(([state]) => !known.has(state)).map(([, news]) => news) : []
  }
}

type Described = readonly [state: string, news: News]

function describeBudget({ name, spent, amount, mode, startTime }: BudgetEntry): Described[] {
  const level = LEVELS.find((each) => amount > 0 && spent * 100 >= amount * each)
  if (level === undefined) return []
  const key = `budget ${name}`
  const isRefused = level === 100 && mode === 'hard'
  const text = `${formatMoney(spent)} of ${formatMoney(amount)}${isRefused ? ': model calls are refused.' : '.'}`
  return [
    [
      `${key} ${startTime} ${level}`,
      { key, title: `Budget ${name}: ${level} % spent`, text, link: { to: '/usage' } },
    ],
  ]
}

function describeIntegration({ name, state, disabledBecause }: IntegrationEntry): Described[] {
  if (state !== 'DISABLED') return []
  const key = `integration ${name}`
  const link = { to: '/automations/integrations/$name', params: { name } } as const
  return [[key, { key, title: `Integration ${name} was disabled`, text: toOneLine(disabledBecause), link }]]
}

import type { BudgetEntry } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { formatMoney } from '../../format/money.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/notice.tsx'

/** The monthly budgets, with a bar for what is spent of each. */
export function BudgetList({ budgets }: { readonly budgets: readonly BudgetEntry[] }) {
  return (
    <Card title="Budgets this month">
      {budgets.length === 0 ? (
        <EmptyState title="No budgets">
          An admin limits what a team, an account or a label spends in a month with a document of kind{' '}
          <code>budget</code>.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {budgets.map((budget) => (
            <BudgetItem key={budget.name} budget={budget} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function BudgetItem({ budget }: { readonly budget: BudgetEntry }) {
  const { name, mode, amount, spent, endTime, timeZone } = budget
  const share = spent / amount
  const percent = Math.floor(share * 100)
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <span className="min-w-0">
          <Link
            to="/catalog/$kind/$name"
            params={{ kind: 'budget', name }}
            className="font-medium break-all text-accent-text hover:underline"
          >
            {name}
          </Link>{' '}
          <span className="text-muted">
            {describeScope(budget)} · {mode}
          </span>
        </span>
        <span className="tabular-nums">
          {formatMoney(spent)} of {formatMoney(amount)} · {percent} %
        </span>
      </div>
      <span
        role="progressbar"
        aria-label={`Spent of the budget ${name}`}
        aria-valuenow={Math.min(100, percent)}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <span
          className={classNames(
            'block h-full rounded-full',
            share >= 1 ? 'bg-failed' : share >= 0.8 ? 'bg-waiting' : 'bg-completed',
          )}
          style={{ width: `${Math.min(100, share * 100)}%` }}
        />
      </span>
      {endTime !== '' && (
        <span className="text-xs text-muted">
          Until{' '}
          {new Date(endTime).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone })} (
          {timeZone})
        </span>
      )}
    </li>
  )
}

function describeScope({ team, account, label }: BudgetEntry): string {
  if (team !== '') return `team ${team}`
  if (account !== '') return `account ${account}`
  return label === '' ? 'everything' : label
}

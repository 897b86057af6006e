import { formatMoney } from '../../format/money.ts'
import { classNames } from '../../ui/class-names.ts'
import { readBudgetShare } from '../budget-share.ts'

const TONES = { fine: 'bg-completed', close: 'bg-waiting', spent: 'bg-failed' } as const

/** How much of its budget the subtree has spent. */
export function BudgetBar({ treeCost, maxCost }: { readonly treeCost: number; readonly maxCost: number }) {
  const share = readBudgetShare(treeCost, maxCost)
  if (share === undefined) return <span className="text-muted">no budget</span>
  return (
    <span className="inline-flex items-center gap-2">
      <span
        role="progressbar"
        aria-label="Spent of the budget"
        aria-valuenow={share.percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 w-20 overflow-hidden rounded-full bg-raised"
      >
        <span
          className={classNames('block h-full rounded-full', TONES[share.tone])}
          style={{ width: `${share.percent}%` }}
        />
      </span>
      <span className="text-muted tabular-nums">
        {share.percent}% of {formatMoney(maxCost)}
      </span>
    </span>
  )
}

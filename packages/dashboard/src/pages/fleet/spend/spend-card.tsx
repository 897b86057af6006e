import type { SummarizeFleetResponse } from '@skein/client'
import { lazy, Suspense, useMemo } from 'react'
import { formatMoney } from '../../../format/money.ts'
import { describeSpend } from './describe-spend.ts'
import { SpendTable } from './spend-table.tsx'

const SpendChart = lazy(() => import('./spend-chart.tsx'))

/** The cost of the last day, as a chart and a table. */
export function SpendCard({ summary }: { readonly summary: SummarizeFleetResponse | undefined }) {
  const spend = useMemo(() => summary?.spend ?? [], [summary])
  return (
    <section
      aria-labelledby="spend-title"
      className="relative flex min-w-0 flex-col rounded-xl border border-line bg-surface px-3 py-2"
    >
      <div className="flex items-baseline justify-between gap-2">
        <h2 id="spend-title" className="text-sm text-muted">
          Spent in the last 24 h
        </h2>
        <span className="text-lg leading-tight font-semibold tabular-nums">
          {summary === undefined ? '–' : formatMoney(summary.costTotal)}
        </span>
      </div>
      <div
        role="img"
        aria-label={describeSpend(spend)}
        className="my-1 h-12 min-w-0 border-b border-line-strong/60"
      >
        <Suspense fallback={null}>{spend.length > 0 && <SpendChart spend={spend} />}</Suspense>
      </div>
      <SpendTable spend={spend} />
    </section>
  )
}

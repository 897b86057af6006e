import type { HourOfSpend } from '@skein/client'
import { formatCount, formatMoney } from '../../../format/money.ts'
import { formatHour } from './describe-spend.ts'

/** The same figures as a table. */
export function SpendTable({ spend }: { readonly spend: readonly HourOfSpend[] }) {
  if (spend.length === 0) return null
  return (
    <details className="text-xs text-muted">
      <summary className="w-fit rounded hover:text-ink">Hourly</summary>
      <div
        role="region"
        tabIndex={0}
        aria-label="Spend hour by hour"
        className="absolute inset-x-0 top-full z-20 mt-1 max-h-72 overflow-y-auto rounded-xl border border-line bg-surface p-3 shadow-raised"
      >
        <table className="w-full text-sm text-ink tabular-nums">
          <thead className="text-left text-xs text-muted">
            <tr>
              <th scope="col">Hour from</th>
              <th scope="col" className="text-right">
                Spent
              </th>
              <th scope="col" className="text-right">
                Tokens in
              </th>
              <th scope="col" className="text-right">
                Tokens out
              </th>
            </tr>
          </thead>
          <tbody>
            {spend.toReversed().map((hour) => (
              <tr key={hour.time}>
                <th scope="row" className="py-0.5 text-left font-normal">
                  {formatHour(hour.time)}
                </th>
                <td className="text-right">{formatMoney(hour.cost)}</td>
                <td className="text-right">{formatCount(hour.inputTokens)}</td>
                <td className="text-right">{formatCount(hour.outputTokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

import { formatMoney } from '../../format/money.ts'
import { classNames } from '../../ui/class-names.ts'
import { describeUsage, formatTime, stackBars, type Series } from './stack-usage.ts'

const HEIGHT = 100
const STEP = 10
const BAR = 8

/** Each differs from its neighbours in light and dark, and the legend has the same order as the bars. */
const FILLS = [
  'fill-accent',
  'fill-running',
  'fill-completed',
  'fill-waiting',
  'fill-failed',
  'fill-line-strong',
  'fill-pending',
] as const
const SWATCHES = [
  'bg-accent',
  'bg-running',
  'bg-completed',
  'bg-waiting',
  'bg-failed',
  'bg-line-strong',
  'bg-pending',
] as const

/** Cost over time, stacked by group. The table on the page has the same figures. */
export function UsagePlot({
  times,
  series,
  isHourly,
}: {
  readonly times: readonly string[]
  readonly series: readonly Series[]
  readonly isHourly: boolean
}) {
  const bars = stackBars(times, series)
  const highest = Math.max(...bars.map(({ cost }) => cost))
  return (
    <figure className="flex flex-col gap-3 p-4">
      <div className="flex items-baseline justify-between text-xs text-muted tabular-nums">
        <span>{formatMoney(highest)}</span>
        <span>US dollars per {isHourly ? 'hour' : 'day (UTC)'}</span>
      </div>
      <svg
        role="img"
        aria-label={describeUsage(bars, isHourly)}
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-48 w-full border-b border-line-strong/60"
      >
        {bars.map(({ time, segments }, index) =>
          segments.map(({ name, series: position, from, to }) => (
            <rect
              key={`${time} ${name}`}
              x={index * STEP + 1}
              y={HEIGHT * (1 - to)}
              width={BAR}
              height={HEIGHT * (to - from)}
              className={FILLS[position % FILLS.length]}
            />
          )),
        )}
      </svg>
      <div aria-hidden className="flex justify-between text-xs text-muted tabular-nums">
        <span>{formatTime(times[0] ?? '', isHourly)}</span>
        <span>{formatTime(times.at(-1) ?? '', isHourly)}</span>
      </div>
      <figcaption>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {series.map(({ name, cost }, position) => (
            <li key={name} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden
                className={classNames('size-2.5 shrink-0 rounded-sm', SWATCHES[position % SWATCHES.length])}
              />
              <span className="min-w-0 break-all">{name}</span>
              <span className="text-muted tabular-nums">{formatMoney(cost)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

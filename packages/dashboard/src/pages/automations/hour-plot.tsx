import { memo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/time.tsx'
import { describeHours, fillHours, startOfHour, type Hour } from './hours.ts'

const HEIGHT = 24
const STEP = 5
const BAR = 4
/** A single failure among thousands of requests must remain visible. */
const LEAST = 2

interface PlotProps {
  readonly hours: readonly Hour[]
  readonly isLarge?: boolean
}

/** Requests of the last 24 hours as bars, with the failed part in red, and the same in words. */
export function HourPlot({ hours, isLarge = false }: PlotProps) {
  return <Plot hours={hours} isLarge={isLarge} currentMs={startOfHour(useNow())} />
}

/** A page has up to two hundred of these, which must not be drawn again every second. */
const Plot = memo(function Plot({
  hours,
  isLarge,
  currentMs,
}: Required<PlotProps> & { readonly currentMs: number }) {
  const shown = fillHours(hours, currentMs)
  const most = Math.max(1, ...shown.map(({ attempts }) => attempts))
  const words = describeHours(shown)
  return (
    <span className={classNames('inline-flex min-w-0 flex-col gap-0.5', isLarge && 'w-full')}>
      <svg
        role="img"
        aria-label={`Requests per hour: ${words}`}
        viewBox={`0 0 ${shown.length * STEP - 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={isLarge ? 'h-20 w-full' : 'h-6 w-30'}
      >
        {shown.map(({ time, attempts, failures }, index) => {
          const whole = heightOf(attempts, most)
          const failed = Math.min(whole, heightOf(failures, most))
          return (
            <g key={time}>
              <Bar index={index} height={1} className="fill-line" />
              <Bar index={index} height={whole} className="fill-line-strong" />
              <Bar index={index} height={failed} className="fill-failed" />
            </g>
          )
        })}
      </svg>
      <span aria-hidden className="text-xs whitespace-nowrap text-muted tabular-nums">
        {words}
      </span>
    </span>
  )
})

function Bar({
  index,
  height,
  className,
}: {
  readonly index: number
  readonly height: number
  readonly className: string
}) {
  return <rect x={index * STEP} y={HEIGHT - height} width={BAR} height={height} className={className} />
}

function heightOf(amount: number, most: number): number {
  return amount === 0 ? 0 : Math.max(LEAST, (amount / most) * HEIGHT)
}

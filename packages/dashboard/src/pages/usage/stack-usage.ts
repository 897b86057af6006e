import type { ReadUsageResponse } from '@skein/client'
import { formatMoney } from '../../format/money.ts'

/** As many as can be told apart. The rest is one. */
const MAX_SERIES = 6

export interface Series {
  readonly name: string
  readonly cost: number
  readonly costs: readonly number[]
}

/** Part of a bar, from its lower end to its upper end, as shares of the highest bar. */
interface Segment {
  readonly name: string
  readonly series: number
  readonly from: number
  readonly to: number
}

/** A bar of the plot: what all groups spent in an hour or on a day. */
export interface Bar {
  readonly time: string
  readonly cost: number
  readonly segments: readonly Segment[]
}

/** The most expensive groups, and everything else together. */
export function toSeries({ groups, others, times }: ReadUsageResponse): Series[] {
  const all = groups.map(({ name, cost, times: parts }) => ({
    name: name === '' ? 'none' : name,
    cost,
    costs: parts.map((part) => part.cost),
  }))
  const shown = all.slice(0, MAX_SERIES)
  const rest = [
    ...all.slice(MAX_SERIES),
    ...(others ? [{ cost: others.cost, costs: others.times.map((part) => part.cost) }] : []),
  ]
  if (rest.length === 0) return shown
  return [
    ...shown,
    {
      name: 'others',
      cost: rest.reduce((sum, { cost }) => sum + cost, 0),
      costs: times.map((_, index) => rest.reduce((sum, { costs }) => sum + (costs[index] ?? 0), 0)),
    },
  ]
}

/** The most expensive group is at the bottom of every bar. */
export function stackBars(times: readonly string[], series: readonly Series[]): Bar[] {
  const totals = times.map((_, index) => series.reduce((sum, { costs }) => sum + (costs[index] ?? 0), 0))
  const highest = Math.max(...totals, Number.MIN_VALUE)
  return times.map((time, index) => {
    let below = 0
    const segments = series.flatMap(({ name, costs }, position) => {
      const cost = costs[index] ?? 0
      if (cost <= 0) return []
      const from = below / highest
      below += cost
      return [{ name, series: position, from, to: below / highest }]
    })
    return { time, cost: totals[index] ?? 0, segments }
  })
}

/** The plot in words. */
export function describeUsage(bars: readonly Bar[], isHourly: boolean): string {
  const most = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.cost > (best?.cost ?? 0) ? bar : best),
    undefined,
  )
  const unit = isHourly ? 'hour' : 'day'
  if (!most) return `Cost per ${unit}: nothing was spent.`
  return `Cost per ${unit}: the highest was ${formatMoney(most.cost)}, ${formatTime(most.time, isHourly)}.`
}

/** Days are those of UTC, in which they are added up. */
export function formatTime(time: string, isHourly: boolean): string {
  return isHourly
    ? new Date(time).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })
    : new Date(time).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
}

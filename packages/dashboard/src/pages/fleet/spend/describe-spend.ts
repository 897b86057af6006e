import type { HourOfSpend } from '@skein/client'
import { formatMoney } from '../../../format/money.ts'

/** The chart in words. */
export function describeSpend(spend: readonly HourOfSpend[]): string {
  const most = spend.reduce<HourOfSpend | undefined>(
    (best, hour) => (hour.cost > (best?.cost ?? 0) ? hour : best),
    undefined,
  )
  if (most === undefined) return 'Spend per hour: nothing was spent.'
  return `Spend per hour: the highest was ${formatMoney(most.cost)} in the hour from ${formatHour(most.time)}.`
}

export function formatHour(time: string): string {
  return new Date(time).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })
}

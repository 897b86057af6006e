import { quantile } from '../measure.ts'

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((left, right) => left - right),
    share,
  )
}

/** To so many digits after the point. */
export function round(value: number, digits = 2): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}

const CENTS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const FINE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Small sums keep the digits that tell them apart. */
export function formatMoney(dollars: number): string {
  return dollars > 0 && dollars < 1 ? FINE.format(dollars) : CENTS.format(dollars)
}

/** Counts of tokens come as strings, because they may be beyond what a number holds. */
export function formatCount(count: string | number): string {
  return COMPACT.format(Number(count))
}

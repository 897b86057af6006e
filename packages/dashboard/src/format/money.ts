const CENTS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const FINE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Small amounts keep enough digits to tell them apart. */
export function formatMoney(dollars: number): string {
  return dollars > 0 && dollars < 1 ? FINE.format(dollars) : CENTS.format(dollars)
}

/** Token counts are strings, because they may exceed the range of a number. */
export function formatCount(count: string | number): string {
  return COMPACT.format(Number(count))
}

/** 1234 cents as "12.34". */
export function format(cents) {
  return (cents / 100).toFixed(2)
}

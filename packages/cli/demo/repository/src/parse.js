/** "12.34" as 1234 cents. */
export function parse(text) {
  const [, units, cents = '0'] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? []
  if (units === undefined) throw new TypeError(`Not an amount: ${text}`)
  return Number(units) * 100 + Number(cents.padEnd(2, '0'))
}

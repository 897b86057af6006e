/**
 * 64-bit integers are sent as decimal strings, because a JSON number is a float and loses digits above 2^53. In code
 * they are `bigint` or the string itself, never `number`.
 */

const CANONICAL = /^(0|-?[1-9][0-9]{0,18})$/

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}

export function isInt64(text: string): boolean {
  return parseInt64(text) !== undefined
}

export function formatInt64(value: bigint): string {
  if (value < INT64_MIN || value > INT64_MAX) throw new RangeError(`${value} does not fit in 64 bits`)
  return value.toString()
}

const MAX_BYTES = 64 * 1024
const TAIL_BYTES = 16 * 1024

/** Truncates what tools read and print, keeping the beginning and the end. */
export function boundText(text: string, maxBytes = MAX_BYTES, tailBytes = TAIL_BYTES): string {
  // At most three bytes per UTF-16 unit.
  if (text.length * 3 <= maxBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const headEnd = findBoundary(bytes, maxBytes - tailBytes)
  const tailStart = findBoundary(bytes, bytes.length - tailBytes)
  const head = bytes.toString('utf8', 0, headEnd)
  const tail = bytes.toString('utf8', tailStart)
  return `${head}\n[… ${tailStart - headEnd} bytes omitted …]\n${tail}`
}

/** The nearest position at or before `index` that is not inside a character. */
function findBoundary(bytes: Buffer, index: number): number {
  let place = index
  while (place > 0 && ((bytes[place] ?? 0) & 0b1100_0000) === 0b1000_0000) place -= 1
  return place
}

/** More than any of our schemas allows. Rejected before parsing, because parsing such JSON takes long. */
const MAX_DEPTH = 500
const MAX_FIELDS = 1_000

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Why this text is too complex to parse, whether or not it is valid JSON. */
export function shapeProblem(bytes: Uint8Array): string | undefined {
  const fields = new Uint16Array(MAX_DEPTH + 1)
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at)
        break
      case COLON:
        fields[depth] = (fields[depth] ?? 0) + 1
        if ((fields[depth] ?? 0) > MAX_FIELDS) return `an object in it has more than ${MAX_FIELDS} fields`
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`
        fields[depth] = 0
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth = Math.max(0, depth - 1)
        break
      default:
    }
  }
  return undefined
}

/**
 * `indexOf` is many times faster than a loop for long strings, which are common in large bodies, but slower for
 * short ones.
 */
const LOOKED_THROUGH = 32

function endOfString(bytes: Uint8Array, start: number): number {
  const short = Math.min(start + LOOKED_THROUGH, bytes.length)
  for (let at = start + 1; at < short; at++) {
    if (bytes[at] === BACKSLASH) at += 1
    else if (bytes[at] === QUOTE) return at
  }
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}

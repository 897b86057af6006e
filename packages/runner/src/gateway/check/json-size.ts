const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Far beyond any real conversation. Parsing thirty megabytes of "[]," takes 15 seconds and gigabytes of memory. */
const MAX_PARTS = 250_000
const MAX_DEPTH = 200

/** Whether a text, if it is JSON, is small enough to parse. Looks only outside strings. */
export function isParsable(json: Uint8Array): boolean {
  let [parts, depth] = [0, 0]
  for (let index = 0; index < json.length; index += 1) {
    switch (json[index]) {
      case QUOTE:
        index = endOfString(json, index + 1)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        parts += 1
        depth += 1
        break
      case COMMA:
        parts += 1
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      default:
        break
    }
    if (parts > MAX_PARTS || depth > MAX_DEPTH) return false
  }
  return true
}

function endOfString(json: Uint8Array, start: number): number {
  let index = start
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1
  return index
}

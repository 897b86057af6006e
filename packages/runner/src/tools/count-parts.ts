import { isRecord } from '../json.ts'

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = Buffer.from('"\\,[{]}')

export interface PartLimits {
  readonly maxParts: number
  readonly maxDepth: number
}

/**
 * At least as many as a JSON text has keys and list items. Undefined if it has more, or is nested deeper, than
 * allowed. Not parsed for it, because parsing 100,000 keys takes 50 ms.
 */
export function countParts(json: Buffer, { maxParts, maxDepth }: PartLimits): number | undefined {
  let parts = 0
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfText(json, at)
    else if (byte === COMMA) parts += 1
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      parts += 1
      depth += 1
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
    if (parts > maxParts || depth > maxDepth) return undefined
  }
  return parts
}

/** Where the quotation mark is that closes the text, or the end of all if there is none. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

/** The keys and items outside of a call's arguments, and the names of these. The call must not be nested deeply. */
export function countPartsAround(call: unknown): number {
  if (!isRecord(call) || !isRecord(call['params'])) return countAll(call)
  const { arguments: input, ...params } = call['params']
  const inputParts = isRecord(input) ? Object.keys(input).length : countAll(input)
  return countAll({ ...call, params }) + inputParts
}

function countAll(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + countAll(inner), 0)
}

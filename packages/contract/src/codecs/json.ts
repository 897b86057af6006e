import { shapeProblem } from './json-shape.ts'

/** Strict parsing of untrusted JSON: anything we cannot represent unchanged is rejected, not fixed. */

export type ParsedJson =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

const INTEGER = /^-?[0-9]+$/
/**
 * NUL and surrogates: PostgreSQL stores neither, and a lone surrogate is not text. And ASCII, because `__proto__`
 * and the named fields are still the same keys with some letters escaped.
 */
const SUSPECT_ESCAPE = /\\u(?:00[0-7]|d[89a-f])/i

/**
 * Parses UTF-8 bytes. Bare integers in the named fields become strings with exactly the digits sent, because a float
 * would lose some.
 */
export function parseJson(bytes: Uint8Array, int64Fields: ReadonlySet<string> = new Set()): ParsedJson {
  const problem = shapeProblem(bytes)
  if (problem !== undefined) return { ok: false, problem }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { ok: false, problem: 'it is not UTF-8' }
  }
  const needsReviver =
    text.includes('__proto__') ||
    SUSPECT_ESCAPE.test(text) ||
    (int64Fields.size > 0 && bareNumberIn(int64Fields).test(text))
  try {
    return { ok: true, value: JSON.parse(text, needsReviver ? strictReviver(int64Fields) : undefined) }
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, problem: 'it is nested too deeply' }
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be read' }
  }
}

const patterns = new WeakMap<ReadonlySet<string>, RegExp>()

/** A reviver makes parsing several times slower, so it is used only if one of the fields has a bare number. */
function bareNumberIn(fields: ReadonlySet<string>): RegExp {
  const known = patterns.get(fields)
  if (known) return known
  const pattern = new RegExp(`"(?:${[...fields].join('|')})"\\s*:\\s*-?[0-9]`)
  patterns.set(fields, pattern)
  return pattern
}

function strictReviver(int64Fields: ReadonlySet<string>) {
  return (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (key === '__proto__') throw new SyntaxError('the key __proto__ is not allowed')
    refuseUnstorable(key)
    if (typeof value === 'string') refuseUnstorable(value)
    if (typeof value !== 'number' || !int64Fields.has(key)) return value
    return context?.source !== undefined && INTEGER.test(context.source) ? context.source : value
  }
}

function refuseUnstorable(text: string): void {
  if (text.includes('\0')) throw new SyntaxError('a NUL character is not allowed')
  if (!text.isWellFormed()) throw new SyntaxError('a lone surrogate is not allowed')
}

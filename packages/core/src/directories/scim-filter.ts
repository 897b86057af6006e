import { ScimError } from './scim-error.ts'

/** One comparison. All of a filter must hold. */
export interface ScimCondition {
  /** In lower case. */
  readonly attribute: string
  readonly value: string
}

const MAX_FILTER_LENGTH = 1024
const MAX_CONDITIONS = 4
const CONDITION = /\s*([A-Za-z][\w.:$-]{0,127})\s+eq\s+("(?:[^"\\]|\\.)*")\s*/iy
const AND = /and\s/iy

/**
 * Reads `userName eq "ada"`, and several joined by `and`: what identity providers send. Everything else of the filter
 * language is refused, so that a filter is always a lookup.
 */
export function parseScimFilter(text: string, attributes: readonly string[]): ScimCondition[] {
  if (text.length > MAX_FILTER_LENGTH) throw unsupported(attributes)
  const conditions: ScimCondition[] = []
  let at = 0
  for (;;) {
    CONDITION.lastIndex = at
    const [whole, attribute = '', quoted = ''] = CONDITION.exec(text) ?? []
    if (whole === undefined || conditions.length === MAX_CONDITIONS) throw unsupported(attributes)
    conditions.push({ attribute: knownAttribute(attribute, attributes), value: unquote(quoted, attributes) })
    at += whole.length
    if (at === text.length) return conditions
    AND.lastIndex = at
    if (!AND.test(text)) throw unsupported(attributes)
    at = AND.lastIndex
  }
}

function knownAttribute(name: string, attributes: readonly string[]): string {
  const bare = name.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, '')
  if (!attributes.some((known) => known.toLowerCase() === bare)) throw unsupported(attributes)
  return bare
}

function unquote(quoted: string, attributes: readonly string[]): string {
  try {
    const value: unknown = JSON.parse(quoted)
    // PostgreSQL stores neither, so nothing has such a value.
    if (typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000')) return value
  } catch {
    // Not a JSON string.
  }
  throw unsupported(attributes)
}

function unsupported(attributes: readonly string[]): ScimError {
  return new ScimError(
    400,
    `Supported filters compare one of ${attributes.join(', ')} with eq and a quoted text, such as ${attributes[0]} eq "value". Up to ${MAX_CONDITIONS} can be joined with and.`,
    'invalidFilter',
  )
}

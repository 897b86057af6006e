import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Format } from 'typebox/format'
import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { isBase64 } from './codecs/base64.ts'
import { isDuration } from './codecs/duration.ts'
import { isInt64 } from './codecs/int64.ts'
import { isTimestamp } from './codecs/timestamp.ts'
import { withDefaults } from './defaults.ts'
import { NAME_PATTERN } from './facts/names.ts'
import { NOT_NEGATIVE_DURATION_PATTERN, NOT_NEGATIVE_PATTERN } from './schemas/primitives.ts'

/** One problem of a request or document, in the shape of google.rpc.BadRequest. */
export interface FieldViolation {
  /** A path such as `tasks[0].status`; empty for the whole. */
  readonly field: string
  readonly description: string
}

/** Callers can fix all mistakes at once, but a hostile body must not produce a million entries. */
export const MAX_VIOLATIONS = 100

/** Explaining takes far longer than detecting: half a second for 1 MiB of unknown fields. */
const MAX_EXPLAINED_NODES = 20_000
const TOO_LARGE_TO_EXPLAIN: FieldViolation = {
  field: '',
  description: `invalid, and too large to say where (more than ${MAX_EXPLAINED_NODES} fields and items)`,
}

/** `uniqueItems` hashes items recursively, so a hostile one can be nested deeper than the stack. */
const NESTED_TOO_DEEPLY: FieldViolation = { field: '', description: 'nested too deeply' }

Settings.Set({ maxErrors: MAX_VIOLATIONS })
Format.Set('int64', isInt64)
Format.Set('date-time', isTimestamp)
Format.Set('google-duration', isDuration)
Format.Set('base64', isBase64)

export interface Validator {
  /** All problems of the value; empty if it is valid. */
  violations(value: unknown): FieldViolation[]
  /** A copy of the value with defaults filled in. */
  withDefaults(value: unknown): unknown
}

const compiled = new WeakMap<TSchema, Validator>()

/** Compiles a schema once. Later calls return the same validator. */
export function validatorFor(schema: TSchema): Validator {
  const known = compiled.get(schema)
  if (known) return known
  const validator = Compile(schema)
  const violations = (value: unknown): FieldViolation[] => {
    if (validator.Check(value)) return []
    if (isLargerThan(MAX_EXPLAINED_NODES, value)) return [TOO_LARGE_TO_EXPLAIN]
    // One error can name several missing fields, so the list is truncated again.
    return validator
      .Errors(value)
      .flatMap((error) => toViolations(error, schema, value))
      .slice(0, MAX_VIOLATIONS)
  }
  const created: Validator = {
    violations: (value) => {
      try {
        return violations(value)
      } catch (error) {
        if (error instanceof RangeError) return [NESTED_TOO_DEEPLY]
        throw error
      }
    },
    withDefaults: (value) => withDefaults(schema, value),
  }
  compiled.set(schema, created)
  return created
}

/** Without recursion, because a hostile value can be nested deeper than the stack. */
function isLargerThan(limit: number, value: unknown): boolean {
  const open: unknown[] = [value]
  for (const part of open) {
    if (typeof part !== 'object' || part === null) continue
    const parts: unknown[] = Object.values(part)
    if (open.length + parts.length > limit) return true
    open.push(...parts)
  }
  return false
}

function toViolations(error: TLocalizedValidationError, schema: TSchema, value: unknown): FieldViolation[] {
  const field = toFieldPath(error.instancePath, value)
  switch (error.keyword) {
    case 'boolean':
      return [{ field, description: 'unknown field: check its spelling, or leave it out' }]
    case 'additionalProperties':
      // Already reported per field by the `boolean` errors above.
      return []
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        field: field === '' ? name : `${field}.${name}`,
        description: 'required',
      }))
    case 'enum':
      return [{ field, description: `must be one of ${error.params.allowedValues.join(', ')}` }]
    case 'format':
      return [{ field, description: FORMAT_HINTS[error.params.format] ?? error.message }]
    case 'type':
      // For 1.5 in a 64-bit integer field, "must be string" would be misleading.
      return [{ field, description: FORMAT_HINTS[formatAt(schema, error.schemaPath)] ?? error.message }]
    case 'pattern':
      return [{ field, description: describePattern(String(error.params.pattern)) }]
    default:
      return [{ field, description: error.message }]
  }
}

const FORMAT_HINTS: Readonly<Record<string, string>> = {
  int64: 'must be a 64-bit integer, as a string of digits or a bare integer',
  'date-time': 'must be an RFC 3339 timestamp such as 2026-11-15T09:30:00Z',
  'google-duration': 'must be a duration in seconds such as 90s or 1.5s',
  base64: 'must be base64',
}

/** The format required by the schema at a JSON Pointer; empty if none. */
function formatAt(schema: TSchema, pointer: string): string {
  const part = pointer.split('/').slice(1).reduce<unknown>(childOf, schema)
  const format = childOf(part, 'format')
  return typeof format === 'string' ? format : ''
}

function describePattern(pattern: string): string {
  if (pattern === NAME_PATTERN)
    return 'must be 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends'
  if (pattern === NOT_NEGATIVE_PATTERN || pattern === NOT_NEGATIVE_DURATION_PATTERN)
    return 'must be 0 or more'
  return `must match ${pattern}`
}

/** Converts a JSON Pointer to common notation: `/tasks/0/status` becomes `tasks[0].status`. */
function toFieldPath(pointer: string, root: unknown): string {
  let path = ''
  let parent: unknown = root
  for (const escaped of pointer.split('/').slice(1)) {
    const segment = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(parent)) path += `[${segment}]`
    else path += path === '' ? segment : `.${segment}`
    parent = childOf(parent, segment)
  }
  return path
}

function childOf(parent: unknown, segment: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined
  return Object.getOwnPropertyDescriptor(parent, segment)?.value
}

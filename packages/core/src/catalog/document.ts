import {
  decodeBase64,
  formatTimestamp,
  parseJson,
  parseTimestamp,
  SkeinError,
  validatorFor,
  withoutNulls,
  type Kind,
} from '@skein/contract'

/** A stored catalog document: the fields of its kind, without what the service adds to responses. */
export type Document = Readonly<Record<string, unknown>>

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Decodes the payload of a write: base64 of a JSON object, or empty. */
export function decodePayload(payload: string): Document | undefined {
  if (payload === '') return undefined
  const bytes = decodeBase64(payload)
  const parsed = bytes && parseJson(bytes)
  if (parsed?.ok && isDocument(parsed.value)) return parsed.value
  const problem = parsed?.ok === false ? parsed.problem : 'it is not an object'
  throw new SkeinError('DOCUMENT_INVALID', {
    message: `The payload is not a JSON document: ${problem}.`,
    violations: [{ field: 'payload', description: 'must be a base64-encoded JSON object' }],
  })
}

type FieldAnnotation = 'readOnly' | 'writeOnly'

function fieldsAnnotated(kind: Kind, annotation: FieldAnnotation): string[] {
  return Object.entries(kind.schema.properties)
    .filter(([, field]) => isDocument(field) && field[annotation] === true)
    .map(([name]) => name)
}

/** Fields the service sets. Values sent by callers are ignored. */
export function serverSetFields(kind: Kind): string[] {
  return fieldsAnnotated(kind, 'readOnly')
}

/** Write-only fields: sent by callers, never returned. */
export function neverReadFields(kind: Kind): string[] {
  return fieldsAnnotated(kind, 'writeOnly')
}

export function omitFields(document: Document, names: readonly string[]): Document {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)))
}

/** Drops null fields: as everywhere in requests, null means absent. */
export function withoutNullFields(kind: Kind, document: Document): Document {
  const stripped = withoutNulls(kind.schema, document)
  return isDocument(stripped) ? stripped : document
}

/** Normalizes times to UTC with milliseconds, as in every response. */
export function withTimesInUtc(kind: Kind, document: Document): Document {
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, isTime(kind, name) ? inUtc(value) : value]),
  )
}

function isTime({ schema }: Kind, name: string): boolean {
  const field: unknown = schema.properties[name]
  return isDocument(field) && field['format'] === 'date-time'
}

function inUtc(value: unknown): unknown {
  const instant = typeof value === 'string' ? parseTimestamp(value) : undefined
  return instant === undefined ? value : formatTimestamp(instant)
}

/** Fills in the kind's defaults. */
export function withDefaults(kind: Kind, document: Document): Document {
  const filled = validatorFor(kind.schema).withDefaults(document)
  return isDocument(filled) ? filled : document
}

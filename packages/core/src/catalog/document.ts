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

/** A catalog document as it is stored: fields of its kind, without what the service adds to an answer. */
export type Document = Readonly<Record<string, unknown>>

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the payload of a write: base64 of a JSON object, or nothing. */
export function decodePayload(payload: string): Document | undefined {
  if (payload === '') return undefined
  const bytes = decodeBase64(payload)
  const parsed = bytes && parseJson(bytes)
  if (parsed?.ok && isDocument(parsed.value)) return parsed.value
  const problem = parsed?.ok === false ? parsed.problem : 'it is not an object'
  throw new SkeinError('DOCUMENT_INVALID', {
    message: `The payload is not a JSON document: ${problem}.`,
    violations: [{ field: 'payload', description: 'must be base64 of a JSON object' }],
  })
}

type FieldAnnotation = 'readOnly' | 'writeOnly'

function fieldsAnnotated(kind: Kind, annotation: FieldAnnotation): string[] {
  return Object.entries(kind.schema.properties)
    .filter(([, field]) => isDocument(field) && field[annotation] === true)
    .map(([name]) => name)
}

/** Fields that the service sets; whatever a caller sends in them is ignored. */
export function serverSetFields(kind: Kind): string[] {
  return fieldsAnnotated(kind, 'readOnly')
}

/** Fields that a caller sends and nobody reads back. */
export function neverReadFields(kind: Kind): string[] {
  return fieldsAnnotated(kind, 'writeOnly')
}

export function omitFields(document: Document, names: readonly string[]): Document {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)))
}

/** Leaves out what is null: like everywhere in a request, that is a field which is not there. */
export function withoutNullFields(kind: Kind, document: Document): Document {
  const stripped = withoutNulls(kind.schema, document)
  return isDocument(stripped) ? stripped : document
}

/** Times as every answer has them, in UTC with milliseconds, whatever offset they were sent with. */
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

/** Fills in the defaults of the kind. */
export function withDefaults(kind: Kind, document: Document): Document {
  const filled = validatorFor(kind.schema).withDefaults(document)
  return isDocument(filled) ? filled : document
}

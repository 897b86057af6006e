import type { FieldViolation, Kind } from '@skein/contract'
import { REFERENCE } from '@skein/contract/facts'
import { isDocument, type Document } from './document.ts'

export interface ResourceRef {
  readonly kind: string
  readonly name: string
}

/** A reference and the field that contains it. */
export interface Reference extends ResourceRef {
  readonly field: string
}

/** Finds all references in a document. The schema says which fields are references. */
export function findReferences(kind: Kind, document: Document): Reference[] {
  return [...collect(kind.schema, document, ''), ...ownerReference(kind, document)]
}

function* collect(schema: unknown, value: unknown, field: string): Generator<Reference> {
  if (!isDocument(schema)) return
  const target = schema[REFERENCE]
  if (typeof target === 'string' && typeof value === 'string' && value !== '') {
    yield { kind: target, name: value, field }
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* collect(schema['items'], item, `${field}[${index}]`)
  } else if (isDocument(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield* collect(fieldSchema(schema, name), item, field === '' ? name : `${field}.${name}`)
    }
  }
}

function fieldSchema(schema: Document, name: string): unknown {
  const { properties, patternProperties } = schema
  if (isDocument(properties) && Object.hasOwn(properties, name)) return properties[name]
  return isDocument(patternProperties) ? Object.values(patternProperties)[0] : undefined
}

/** With the service-profile provider, the account is the name of a profile. */
function ownerReference(kind: Kind, document: Document): Reference[] {
  const { ownerProvider, account } = document
  if (!('account' in kind.schema.properties) || ownerProvider !== 'PROVIDER_SERVICE_PROFILE') return []
  return typeof account === 'string' && account !== ''
    ? [{ kind: 'profile', name: account, field: 'account' }]
    : []
}

export function missingReferences(
  references: readonly Reference[],
  exists: (reference: ResourceRef) => boolean,
): FieldViolation[] {
  return references
    .filter((reference) => !exists(reference))
    .map(({ kind, name, field }) => ({ field, description: `${kind} ${name} not found` }))
}

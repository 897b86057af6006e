import type { KindDescription, Resource } from '@skein/client'
import {
  formatDocument,
  readDocument,
  type Document,
  type ReadDocument,
  type TextProblem,
} from '@skein/resource-files'
import { readSchema, type SchemaNode } from './schema-node.ts'

/** A kind, with what the editor needs. */
export interface EditedKind {
  readonly kind: string
  readonly bodyField: string | undefined
  readonly schema: SchemaNode
  readonly jsonSchema: object
}

export function readKind({ kind, bodyField, schema }: KindDescription): EditedKind {
  return {
    kind,
    bodyField: bodyField === '' ? undefined : bodyField,
    schema: readSchema(schema),
    jsonSchema: schema,
  }
}

/** The editable text of a resource, without server-set fields. */
export function formatEditable({ schema, bodyField }: EditedKind, document: Document): string {
  return formatDocument(pickEditable(schema, document), bodyField)
}

export function formatHeld(kind: EditedKind, resource: Pick<Resource, 'document'> | null): string {
  return resource === null ? '' : formatEditable(kind, resource.document)
}

function pickEditable({ properties }: SchemaNode, document: Document): Document {
  const hidden = new Set(properties.filter(({ node }) => node.isReadOnly).map(({ name }) => name))
  return Object.fromEntries(Object.entries(document).filter(([name]) => !hidden.has(name)))
}

/**
 * Parses edited text. A file from a repository may be pasted unchanged: its kind and name are removed, unless they
 * name something else.
 */
export function readEditable(kind: EditedKind, name: string, text: string): ReadDocument {
  const read = readDocument(text, kind.bodyField)
  const { kind: writtenKind, name: writtenName, metadata: _metadata, ...document } = read.document
  const problems: TextProblem[] = []
  if (writtenKind !== undefined && writtenKind !== kind.kind)
    problems.push({
      ...read.locate(['kind']),
      message: `This is a ${kind.kind}, not a ${JSON.stringify(writtenKind)}.`,
    })
  if (writtenName !== undefined && writtenName !== name)
    problems.push({
      ...read.locate(['name']),
      message: `This resource is named ${name}; names cannot be changed.`,
    })
  return { ...read, document: pickEditable(kind.schema, document), problems: [...read.problems, ...problems] }
}

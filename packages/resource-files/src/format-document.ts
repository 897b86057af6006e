import { stringify } from 'yaml'
import type { Document } from './document.ts'

/** The inverse of readDocument: Markdown for kinds with a body field, YAML for the others. */
export function formatDocument(document: Document, bodyField?: string): string {
  if (bodyField === undefined) return formatFields(document)
  const { [bodyField]: body, ...fields } = document
  return `---\n${formatFields(fields)}---\n\n${typeof body === 'string' ? body : ''}\n`
}

function formatFields(fields: Document): string {
  return Object.keys(fields).length === 0 ? '' : stringify(fields, { lineWidth: 0 })
}

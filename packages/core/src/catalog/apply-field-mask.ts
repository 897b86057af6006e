import type { FieldPath } from '@skein/contract'
import { isDocument, type Document } from './document.ts'

/**
 * Takes each masked path from the patch, including zero values. A masked path missing from the patch is removed, so
 * its default applies. Everything outside the mask stays.
 */
export function applyFieldMask(current: Document, patch: Document, paths: readonly FieldPath[]): Document {
  return paths.reduce((document, path) => replaceAt(document, path, valueAt(patch, path)), current)
}

function valueAt(document: Document, path: FieldPath): unknown {
  let value: unknown = document
  for (const segment of path) {
    if (!isDocument(value) || !Object.hasOwn(value, segment)) return undefined
    value = value[segment]
  }
  return value
}

function replaceAt(document: Document, [segment, ...rest]: FieldPath, value: unknown): Document {
  if (segment === undefined) return document
  const { [segment]: existing, ...others } = document
  if (rest.length === 0) return value === undefined ? others : { ...others, [segment]: value }
  if (value === undefined && !isDocument(existing)) return document
  return { ...others, [segment]: replaceAt(isDocument(existing) ? existing : {}, rest, value) }
}

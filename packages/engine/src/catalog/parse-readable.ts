import type { Documents } from '@skein/contract'
import { parseDocument, StoredDocumentError } from '@skein/core'

/** Undefined if it cannot be read until it is written again. */
export function parseReadable<Kind extends keyof Documents>(
  kind: Kind,
  name: string,
  document: object,
): Documents[Kind] | undefined {
  try {
    return parseDocument(kind, name, { ...document })
  } catch (error) {
    if (error instanceof StoredDocumentError) return undefined
    throw error
  }
}

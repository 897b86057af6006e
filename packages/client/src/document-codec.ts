/**
 * A catalog document. Its fields depend on the kind.
 *
 * @example
 * import type { CatalogDocument } from '@skein/client'
 *
 * const persona: CatalogDocument = { prompt: 'You review code.', model: 'claude-sonnet-5' }
 * await skein.catalog.put('persona', 'reviewer', persona)
 */
export type CatalogDocument = Readonly<Record<string, unknown>>

/** In steps: the number of function arguments is limited. */
const STEP = 8192

export function encodeDocument(document: CatalogDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  let binary = ''
  for (let from = 0; from < bytes.length; from += STEP)
    binary += String.fromCharCode(...bytes.subarray(from, from + STEP))
  return btoa(binary)
}

export function decodeDocument(payload: string): CatalogDocument {
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
  const document: unknown = JSON.parse(new TextDecoder().decode(bytes))
  if (isDocument(document)) return document
  throw new TypeError('The service returned a document that is not an object')
}

function isDocument(value: unknown): value is CatalogDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

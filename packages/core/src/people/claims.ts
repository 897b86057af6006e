import { isDocument, type Document } from '../catalog/document.ts'

/** A claim can have a dot in its own name, as a URL does, so that is tried first. */
export function valuesAt(claims: Document, path: string): readonly unknown[] {
  const found = Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce(step, claims)
  return Array.isArray(found) ? found : [found]
}

function step(value: unknown, key: string): unknown {
  return isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const MAX_IDENTIFIER = 255

/** Whether a provider's own name for a person or a sign-in is one that we store and compare. */
export function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENTIFIER) return false
  // PostgreSQL stores no NUL, and would take two halves of different characters for the same.
  return !/\p{Cc}/u.test(value) && value.isWellFormed()
}

import { isDocument, type Document } from '../catalog/document.ts'

/** A claim can have a dot in its own name, as a URL does, so that is tried first. */
export function valuesAt(claims: Document, path: string): readonly unknown[] {
  const found = Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce(step, claims)
  return Array.isArray(found) ? found : [found]
}

function step(value: unknown, key: string): unknown {
  return isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

import { summarizeViolations, validatorFor, type Documents } from '@skein/contract'
import { findBuiltIn, freezeDeep, isBuiltIn } from './built-ins.ts'
import { withDefaults, type Document } from './document.ts'
import { requireKind } from './not-found.ts'

/** A stored document that cannot be used until its owner writes it again. */
export class StoredDocumentError extends Error {
  override readonly name = 'StoredDocumentError'
}

/** Built-in documents never change, so each is parsed once. */
const parsedBuiltIns = new WeakMap<Document, unknown>()

/**
 * Parses a stored document into its kind's type. Fields added since it was written get their default. Anything else
 * that doesn't fit is an error: a guess could give an agent more than it should have.
 */
export function parseDocument<Name extends keyof Documents>(
  kind: Name,
  name: string,
  document: Document,
): Documents[Name] {
  const known = parsedBuiltIns.get(document)
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a built-in document has one kind
  if (known !== undefined) return known as Documents[Name]
  const filled: unknown = withDefaults(requireKind(kind), document)
  if (isOfKind(kind, filled)) {
    if (isBuiltIn(document)) parsedBuiltIns.set(document, freezeDeep(filled))
    return filled
  }
  const problems = summarizeViolations(violationsOf(kind, filled))
  throw new StoredDocumentError(
    `The stored ${kind} ${name} does not match its schema: ${problems}. Write it again.`,
  )
}

/** A document that sets nothing: every field has its default. */
export function emptyDocument<Name extends keyof Documents>(kind: Name): Documents[Name] {
  return parseDocument(kind, '', {})
}

/** The tenant's own document, or the built-in one of that name. */
export function parseOwnOrBuiltIn<Name extends keyof Documents>(
  kind: Name,
  name: string,
  own: Document | undefined,
): Documents[Name] | undefined {
  const document = own ?? findBuiltIn(kind, name)
  return document && parseDocument(kind, name, document)
}

function isOfKind<Name extends keyof Documents>(kind: Name, document: unknown): document is Documents[Name] {
  return violationsOf(kind, document).length === 0
}

function violationsOf(kind: keyof Documents, document: unknown) {
  return validatorFor(requireKind(kind).schema).violations(document)
}

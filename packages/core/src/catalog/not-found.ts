import { findKind, findRecordKind, KINDS, SkeinError, type Kind } from '@skein/contract'

/** Gives the same answer for missing resources and for those the caller may not see. */
export function resourceNotFound(kind: string, name: string): SkeinError {
  return new SkeinError('RESOURCE_NOT_FOUND', { message: `The ${kind} ${name} was not found.` })
}

export function requireKind(name: string): Kind {
  const kind = findKind(name)
  if (kind) return kind
  if (findRecordKind(name)) {
    throw new SkeinError('KIND_READ_ONLY', { message: `A ${name} cannot be written or deleted.` })
  }
  throw new SkeinError('KIND_UNKNOWN', {
    message: `Unknown kind: ${name}. The kinds are ${KINDS.map((known) => known.kind).join(', ')}.`,
  })
}

/** Also kinds that nobody can write. */
export function requireReadableKind(name: string): Kind {
  return findRecordKind(name) ?? requireKind(name)
}

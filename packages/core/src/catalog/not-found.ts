import { KINDS, SkeinError, findKind, type Kind } from '@skein/contract'

/** Gives the same answer for missing resources and for those the caller may not see. */
export function resourceNotFound(kind: string, name: string): SkeinError {
  return new SkeinError('RESOURCE_NOT_FOUND', { message: `The ${kind} ${name} was not found.` })
}

export function requireKind(name: string): Kind {
  const kind = findKind(name)
  if (kind) return kind
  throw new SkeinError('KIND_UNKNOWN', {
    message: `Unknown kind: ${name}. The kinds are ${KINDS.map((known) => known.kind).join(', ')}.`,
  })
}

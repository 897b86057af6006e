import { SkeinError } from '@skein/contract'
import { isWalPosition, POSITION_HEADER } from '@skein/contract/facts'
import type { ReadPosition } from '@skein/store'

/** What a reader has seen, from the answer to an earlier request. */
export function readPosition(header: string | undefined): ReadPosition {
  if (header === undefined || header === 'latest' || isWalPosition(header)) return header
  const description = `must be latest, or what an earlier answer had in ${POSITION_HEADER}`
  throw new SkeinError('REQUEST_INVALID', {
    message: `The header ${POSITION_HEADER} ${description}.`,
    violations: [{ field: POSITION_HEADER, description }],
  })
}

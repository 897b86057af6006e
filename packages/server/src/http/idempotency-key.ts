import { SkeinError } from '@skein/contract'

const PRINTABLE = /^[\u0020-\u007e]{1,255}$/

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && PRINTABLE.test(header)) return header
  throw new SkeinError('IDEMPOTENCY_KEY_INVALID')
}

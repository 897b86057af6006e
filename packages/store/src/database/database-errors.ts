import { SkeinError } from '@skein/contract'
import { DatabaseError } from 'pg'

/** Serialization failure and deadlock: the transaction was rolled back and can be retried as it is. */
const TRANSIENT = new Set(['40001', '40P01'])

/** Classes of PostgreSQL's error codes that say the server cannot serve us now. */
const UNAVAILABLE = /^(08|28|3D|53|57P|58)/

/** Took too long, and was rolled back: nothing about the connection is in doubt. */
const TOO_SLOW = new Set(['57014', '25P03'])
const LOCK_NOT_AVAILABLE = '55P03'

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])

/** What the driver says when a socket dies under it; it has no code for these. */
const CONNECTION_MESSAGE = /connection (terminated|timeout|error)|timeout exceeded when trying to connect/i

export function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && error.code !== undefined && TRANSIENT.has(error.code)
}

export function isStatementTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/** The connection is gone, so nobody knows whether its transaction was committed. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof SkeinError && error.reason === 'DATABASE_UNAVAILABLE'
}

/** The one translation from the database's errors to ours. What it does not know stays a fault of ours. */
export function toSkeinError(error: unknown): unknown {
  if (error instanceof SkeinError || !(error instanceof Error)) return error
  if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) {
    return new SkeinError('TREE_BUSY', { cause: error, retryDelayMs: 2_000 })
  }
  if (error instanceof DatabaseError && error.code !== undefined && TOO_SLOW.has(error.code)) {
    return new SkeinError('DATABASE_BUSY', { cause: error, retryDelayMs: 5_000 })
  }
  return isUnavailable(error)
    ? new SkeinError('DATABASE_UNAVAILABLE', { cause: error, retryDelayMs: 1_000 })
    : error
}

function isUnavailable(error: Error): boolean {
  if (error instanceof DatabaseError) {
    return error.code !== undefined && (UNAVAILABLE.test(error.code) || TRANSIENT.has(error.code))
  }
  if ('code' in error && typeof error.code === 'string' && CONNECTION_CODES.has(error.code)) return true
  return CONNECTION_MESSAGE.test(error.message)
}

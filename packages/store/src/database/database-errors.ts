import { SkeinError } from '@skein/contract'
import { DatabaseError } from 'pg'

/** Serialization failure and deadlock: the transaction was rolled back and can be retried. */
const TRANSIENT = new Set(['40001', '40P01'])

/** PostgreSQL error classes that mean the server is unavailable. */
const UNAVAILABLE = /^(08|28|3D|53|57P|58)/

/** Timed out and rolled back. The connection is fine. */
const TOO_SLOW = new Set(['57014', '25P03'])
const LOCK_NOT_AVAILABLE = '55P03'
/** Raised by our own functions: the tenant is on its way to another cell (docs/adr/0074). */
const MOVING = 'SKM01'

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])

/** Driver messages for broken sockets, which have no code. */
const CONNECTION_MESSAGE =
  /connection (terminated|timeout|error)|timeout exceeded when trying to connect|^timeout expired$/i
const TIMEOUT_MESSAGE = /timeout/i

export function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && error.code !== undefined && TRANSIENT.has(error.code)
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23505'
}

export function isCheckViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514'
}

export function isStatementTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/** The connection is lost, so it is unknown whether its transaction was committed. */
export function isConnectionLost(error: unknown): error is SkeinError {
  return error instanceof SkeinError && error.reason === 'DATABASE_UNAVAILABLE'
}

/** PostgreSQL may be reachable, but did not answer in time. */
export function isConnectTimeout(error: unknown): boolean {
  return isConnectionLost(error) && error.cause instanceof Error && TIMEOUT_MESSAGE.test(error.cause.message)
}

/** The only place that translates database errors. Unknown ones remain internal errors. */
export function toSkeinError(error: unknown): unknown {
  if (error instanceof SkeinError || !(error instanceof Error)) return error
  if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) {
    return new SkeinError('TREE_BUSY', { cause: error, retryDelayMs: 2_000 })
  }
  if (error instanceof DatabaseError && error.code !== undefined && TOO_SLOW.has(error.code)) {
    return new SkeinError('DATABASE_BUSY', { cause: error, retryDelayMs: 5_000 })
  }
  if (error instanceof DatabaseError && error.code === MOVING) {
    return new SkeinError('TENANT_MOVING', { cause: error, retryDelayMs: 5_000 })
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

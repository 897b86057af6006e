import type { Code, CODES } from '@skein/contract'
import { SkeinApiError, SkeinConnectionError, type ErrorDetail } from '../errors.ts'

/**
 * A copy, checked by the compiler: importing the contract's table would pull the whole contract into a bundle. Explicitly
 * `undefined` for unknown numbers, whatever the compiler settings of the importing project.
 */
const CODE_NAMES: Readonly<Record<number, Code | undefined>> = {
  1: 'CANCELLED',
  3: 'INVALID_ARGUMENT',
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  7: 'PERMISSION_DENIED',
  8: 'RESOURCE_EXHAUSTED',
  9: 'FAILED_PRECONDITION',
  10: 'ABORTED',
  12: 'UNIMPLEMENTED',
  13: 'INTERNAL',
  14: 'UNAVAILABLE',
  16: 'UNAUTHENTICATED',
} satisfies { [Name in Code as (typeof CODES)[Name]['number']]: Name }

/** Statuses that say nothing about the call itself. 408: the request did not arrive completely. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const DURATION = /^([0-9]{1,12}(?:\.[0-9]{1,9})?)s$/

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The body of a success, or the error of a rejection. */
export function readAnswer(answer: Answer, requestId: string, nowMs: number): unknown {
  const body = parseJson(answer.text)
  if (answer.status >= 200 && answer.status < 300) {
    if (body !== undefined) return body
    throw new SkeinConnectionError('The response is not from the service: the body is not JSON.', {
      requestId,
      isRetryable: false,
    })
  }
  throw toApiError(answer, body, requestId, nowMs)
}

function toApiError(
  { status, headers }: Answer,
  body: unknown,
  sentId: string,
  nowMs: number,
): SkeinApiError {
  const code = CODE_NAMES[Number(field(body, 'code'))] ?? 'UNKNOWN'
  const details = readDetails(field(body, 'details'))
  const message = field(body, 'message')
  const retryDelayMs = readRetryInfo(details) ?? readRetryAfter(headers.get('retry-after'), nowMs)
  return new SkeinApiError(
    code !== 'UNKNOWN' && typeof message === 'string' ? message : `The response was HTTP ${status}.`,
    {
      status,
      code,
      details,
      reason: readReason(details),
      requestId: headers.get('x-request-id') ?? sentId,
      retryDelayMs,
      isRetryable: RETRYABLE_STATUSES.has(status) || readRetryInfo(details) !== undefined,
    },
  )
}

function readDetails(details: unknown): ErrorDetail[] {
  return Array.isArray(details) ? details.filter(isDetail) : []
}

function isDetail(value: unknown): value is ErrorDetail {
  return typeof field(value, '@type') === 'string'
}

function readReason(details: readonly ErrorDetail[]): string {
  const reason = findDetail(details, 'ErrorInfo')?.['reason']
  return typeof reason === 'string' ? reason : ''
}

function readRetryInfo(details: readonly ErrorDetail[]): number | undefined {
  const delay = findDetail(details, 'RetryInfo')?.['retryDelay']
  const seconds = typeof delay === 'string' ? DURATION.exec(delay)?.[1] : undefined
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

function findDetail(details: readonly ErrorDetail[], type: string): ErrorDetail | undefined {
  return details.find((detail) => detail['@type'].endsWith(`google.rpc.${type}`))
}

/** Seconds or a date. The only hint a proxy gives. */
function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

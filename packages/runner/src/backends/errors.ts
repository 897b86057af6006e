import type { ErrorKind, TurnError } from './backend.ts'

/** Whether a retry of the same turn may succeed. */
const IS_RETRYABLE: Readonly<Record<ErrorKind, boolean>> = {
  'rate-limit': true,
  overloaded: true,
  quota: false,
  budget: false,
  auth: false,
  'context-length': false,
  'bad-request': false,
  refused: false,
  network: true,
  protocol: true,
  crash: true,
  timeout: true,
  'output-invalid': true,
  'session-lost': true,
  'tools-unavailable': true,
  'program-missing': false,
}

export function isRetryable({ kind }: TurnError): boolean {
  return IS_RETRYABLE[kind]
}

/** Classifies a provider's error response. */
export function errorOfStatus(status: number | undefined, message: string): TurnError {
  return { kind: kindOf(status, message), message, ...(status !== undefined && { httpStatus: status }) }
}

function kindOf(status: number | undefined, message: string): ErrorKind {
  switch (status) {
    case 429:
      return 'rate-limit'
    case 503:
    case 529:
      return 'overloaded'
    case 401:
    case 403:
      return 'auth'
    // The gateway's own response to a call the budget does not cover.
    case 402:
      return 'budget'
    case 400:
    case 404:
    case 413:
    case 422:
      return /too long|context/i.test(message) ? 'context-length' : 'bad-request'
    default:
      return 'network'
  }
}

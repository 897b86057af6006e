import type { ErrorKind, TurnError } from '../backend.ts'
import { errorOfStatus } from '../errors.ts'
import { isRecord, parseJson } from '../../json.ts'
import { RpcClosedError } from './json-rpc.ts'
import type { ErrorDetails } from './wire.ts'

/** Codex's own error names, where they say more than a status. */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  contextWindowExceeded: 'context-length',
  sessionBudgetExceeded: 'budget',
  usageLimitExceeded: 'quota',
  rateLimitExceeded: 'rate-limit',
  flexUnavailable: 'overloaded',
  serverOverloaded: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  modelNotFound: 'bad-request',
  cyberPolicy: 'refused',
  misalignmentPolicyViolation: 'refused',
  tooManyDenials: 'refused',
  unauthorized: 'auth',
}

const STATUSES: Readonly<Record<string, number>> = {
  badRequest: 400,
  internalServerError: 500,
  unauthorized: 401,
}

/** The provider's error names, where Codex has none. */
const PROVIDER_CODES: Readonly<Record<string, ErrorKind>> = {
  context_length_exceeded: 'context-length',
  insufficient_quota: 'quota',
  rate_limit_exceeded: 'rate-limit',
  server_is_overloaded: 'overloaded',
}

/** Classifies an error that ended a turn. */
export function errorOfTurn({ message: text, codexErrorInfo: info }: ErrorDetails): TurnError {
  const answer = readAnswer(text)
  const message = answer?.message ?? text
  const name = typeof info === 'string' ? info : ''
  const status = statusInInfo(info) ?? STATUSES[name] ?? answer?.status ?? statusInText(text)
  const kind = KINDS[name] ?? PROVIDER_CODES[answer?.code ?? '']
  if (!kind) return errorOfStatus(status, message)
  return { kind, message, ...(status !== undefined && { httpStatus: status }) }
}

interface ProviderAnswer {
  readonly message: string
  readonly code: string
  readonly status: number | undefined
}

/** Codex passes on the body of a rejected request unchanged. */
function readAnswer(text: string): ProviderAnswer | undefined {
  const body = parseJson(text)
  const error = isRecord(body) ? body['error'] : undefined
  if (!isRecord(error) || typeof error['message'] !== 'string') return undefined
  return {
    message: error['message'],
    code: typeof error['code'] === 'string' ? error['code'] : '',
    status: error['type'] === 'invalid_request_error' ? 400 : undefined,
  }
}

/** `{ "responseTooManyFailedAttempts": { "httpStatusCode": 503 } }` */
function statusInInfo(info: unknown): number | undefined {
  const [details] = isRecord(info) ? Object.values(info) : []
  const status = isRecord(details) ? details['httpStatusCode'] : undefined
  return typeof status === 'number' ? status : undefined
}

function statusInText(message: string): number | undefined {
  const status = /\bstatus:? (?<status>[45]\d\d)\b/u.exec(message)?.groups?.['status']
  return status === undefined ? undefined : Number(status)
}

/** Why a conversation could not be started or resumed. */
export function errorOfOpening(cause: unknown, isResumed: boolean): TurnError {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof RpcClosedError) return { kind: 'crash', message }
  if (/\bMCP\b/iu.test(message)) return { kind: 'tools-unavailable', message }
  if (isResumed && /rollout|not found|session/iu.test(message)) return { kind: 'session-lost', message }
  return { kind: 'protocol', message }
}

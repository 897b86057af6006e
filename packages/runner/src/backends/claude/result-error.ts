import type { SDKAssistantMessageError, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import type { ErrorKind, TurnError } from '../backend.ts'
import { errorOfStatus } from '../errors.ts'

const MAX_MESSAGE_LENGTH = 2_000

/** For causes the program names without a status. */
const KINDS: Readonly<Partial<Record<SDKAssistantMessageError, ErrorKind>>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  billing_error: 'quota',
  rate_limit: 'rate-limit',
  overloaded: 'overloaded',
  invalid_request: 'bad-request',
  model_not_found: 'bad-request',
}

/** Undefined if the turn went well. The program's "success" may not be one. */
export function findError(
  result: SDKResultMessage,
  cause: SDKAssistantMessageError | undefined,
): TurnError | undefined {
  if (result.stop_reason === 'refusal') return { kind: 'refused', message: describe(result) }
  if (!result.is_error && result.subtype === 'success') return undefined
  const message = describe(result)
  if (result.subtype === 'error_max_structured_output_retries') return { kind: 'output-invalid', message }
  if (/No conversation found/.test(message)) return { kind: 'session-lost', message }
  if (result.terminal_reason === 'prompt_too_long') return { kind: 'context-length', message }
  const status = ('api_error_status' in result ? result.api_error_status : undefined) ?? undefined
  if (cause === 'billing_error' && status !== 402) return { kind: 'quota', message, ...withStatus(status) }
  if (status !== undefined) return errorOfStatus(status, message)
  const kind = cause && KINDS[cause]
  if (kind) return { kind, message }
  // The provider sent nothing, or nothing readable.
  return { kind: result.subtype === 'success' ? 'network' : 'protocol', message }
}

function withStatus(httpStatus: number | undefined): { httpStatus?: number } {
  return httpStatus === undefined ? {} : { httpStatus }
}

function describe(result: SDKResultMessage): string {
  const text = 'result' in result ? result.result : result.errors.join('\n')
  return (
    text.slice(0, MAX_MESSAGE_LENGTH) || `Claude ended the turn: ${result.terminal_reason ?? result.subtype}`
  )
}

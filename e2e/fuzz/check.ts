import {
  CODES,
  ErrorEnvelope,
  int64FieldNames,
  OPERATIONS,
  parseJson,
  REASONS,
  validatorFor,
  type Operation,
  type ReasonEntry,
} from '@skein/contract'
import { problemWithScimError } from './scim.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Uint8Array | undefined
}

const operations: readonly Operation[] = OPERATIONS
const forms = operations.map((operation) => ({
  operation,
  form: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
}))
const reasons: Readonly<Record<string, ReasonEntry>> = REASONS

/** What is wrong with a response, if anything: the promises that hold for every request. */
export function problemWith(asked: Asked, { status, headers, text }: Answer): string | undefined {
  if (headers['x-request-id'] === undefined) return 'no x-request-id'
  if (/node_modules|\.ts:\d+|postgres(ql)?:\/\//.test(text)) return 'the answer tells of our insides'
  const operation = forms.find(
    ({ operation: { method }, form }) => method === asked.method && form.test(asked.path),
  )
  if (status < 400) return operation && problemWithSuccess(operation.operation, text)
  if (asked.method === 'HEAD') return status < 500 ? undefined : `status ${status}`
  const problem = problemWithError(status, headers, text)
  if (problem !== undefined) return problem
  if (status < 500) return undefined
  return status === 501 ? problemWithNotServed(operation?.operation, asked) : `status ${status}`
}

function problemWithSuccess(operation: Operation, text: string): string | undefined {
  if (operation.streams === true) return undefined
  const violations = validatorFor(operation.response).violations(tryParse(text))
  return violations.length === 0 ? undefined : `the answer breaks its schema: ${JSON.stringify(violations)}`
}

function problemWithError(status: number, headers: Answer['headers'], text: string): string | undefined {
  const envelope = tryParse(text)
  if (headers['content-type']?.startsWith('application/scim+json'))
    return problemWithScimError(status, envelope)
  const violations = validatorFor(ErrorEnvelope).violations(envelope)
  if (violations.length > 0) return `no error envelope: ${JSON.stringify(violations)}`
  if (!headers['content-type']?.startsWith('application/json')) return 'an error that is not JSON'
  const { code, details } = envelope as ErrorEnvelope
  const reason = String(details[0]?.['reason'])
  const entry = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined
  if (!entry) return `the reason ${reason} is not in the registry`
  if (CODES[entry.code].number !== code) return `the reason ${reason} came with the code ${code}`
  const expected = entry.httpStatus ?? CODES[entry.code].httpStatus
  return expected === status ? undefined : `the reason ${reason} came with the status ${status}`
}

/** "Not served yet" is only correct for an otherwise valid request. */
function problemWithNotServed(operation: Operation | undefined, asked: Asked): string | undefined {
  if (!operation) return 'not served, but also no operation'
  if (!operation.body || !asked.body) return undefined
  const parsed = parseJson(asked.body, int64FieldNames())
  if (!parsed.ok) return 'not served was said of a body that is not JSON'
  const violations = validatorFor(operation.body).violations(parsed.value)
  return violations.length === 0
    ? undefined
    : `not served was said of a bad body: ${JSON.stringify(violations)}`
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

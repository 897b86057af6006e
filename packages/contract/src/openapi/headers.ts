import type { Operation, RequestHeader } from '../operations/operation.ts'

type Json = { [key: string]: unknown }

const REQUEST_HEADERS: Readonly<Record<RequestHeader, Json>> = {
  Prefer: {
    description:
      '`wait=N` requests a response within N seconds, with WAIT_REASON_UNSPECIFIED if nothing has happened by then.',
    schema: { type: 'string', examples: ['wait=30'] },
  },
  'Last-Event-ID': {
    description:
      'The id of the last event received; the stream continues after it. Takes precedence over the body.',
    schema: { type: 'string', maxLength: 512 },
  },
  'Idempotency-Key': {
    description:
      'A request with the same key and body within 24 hours is carried out once, and gets the same response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Skein-Position': {
    description:
      'The newest value of this header from earlier responses: the response is at least as recent. `latest`: it is up to date. Has an effect only if the service reads from a replica.',
    schema: { type: 'string', maxLength: 17, examples: ['16/B374D848', 'latest'] },
  },
  'X-Skein-Justification': {
    description:
      'Why an operator changes something in another tenant; goes into the audit log. Percent-encoded, at most 4096 characters.',
    schema: { type: 'string', examples: ['asked%20by%20Ada'] },
  },
}

/** The headers an operation reads, as parameters. */
export function headerParameters({ headers = [], isMutation }: Operation): Json[] {
  const names: RequestHeader[] = [
    ...headers,
    ...(isMutation ? (['Idempotency-Key', 'X-Skein-Justification'] as const) : []),
  ]
  return names.map((name) => ({ name, in: 'header', required: false, ...REQUEST_HEADERS[name] }))
}

const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies the request in logs, traces and the audit log: the id that was sent, or a new one.',
    schema: { type: 'string' },
  },
  'Idempotent-Replay': {
    description: 'Set if the request was already carried out or rejected, and this is the recorded response.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Skein-Position': {
    description: 'Set if the service reads from a replica. Send it with later reads to see this change.',
    schema: { type: 'string' },
  },
  'Set-Cookie': { description: 'The session, or its end.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'How many seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1 },
  },
}
type ResponseHeader = keyof typeof RESPONSE_HEADERS

/**
 * The content of `components.headers`. Component names have no dashes, because generated code uses them as
 * identifiers.
 */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, header]) => [componentName(name), header]),
  )
}

/** Success and final rejections. */
const REPLAYED_STATUSES: ReadonlySet<number> = new Set([200, 400, 403, 404, 409])

export function responseHeaders(status: number, operation: Operation): Json {
  const names: ResponseHeader[] = ['X-Request-Id']
  if (operation.isMutation && REPLAYED_STATUSES.has(status)) names.push('Idempotent-Replay')
  if (status === 200 && operation.isMutation) names.push('Skein-Position')
  if (status === 200 && operation.setsCookie === true) names.push('Set-Cookie')
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 429 || status === 503) names.push('Retry-After')
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]),
  )
}

function componentName(header: string): string {
  return header.replaceAll('-', '')
}

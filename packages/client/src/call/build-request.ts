import { takesBody, type OperationFacts } from './operation-facts.ts'

export interface RequestParts {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

/** The operation's path with its parameters and query, appended to the base URL. */
export function buildUrl(
  baseUrl: string,
  operation: OperationFacts,
  { params, query }: RequestParts,
): string {
  const values = new Map(Object.entries(params ?? {}))
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_match, name: string) =>
    encodeSegment(name, values.get(name)),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.append(name, String(value))
  }
  const suffix = search.toString()
  return `${baseUrl}${path}${suffix && `?${suffix}`}`
}

/** Readers of the URL resolve dots, escaped or not: they would lead to another operation. */
function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${name} cannot be ${JSON.stringify(text)}`)
  return encodeURIComponent(text)
}

interface HeaderParts {
  /** For repetitions by the caller itself. */
  readonly idempotencyKey?: string | undefined
  readonly justification?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface SenderParts {
  readonly apiKey?: string | undefined
  readonly pageSecret?: (() => string) | undefined
  readonly userAgent?: string | undefined
}

export function buildHeaders(
  { apiKey, pageSecret, userAgent }: SenderParts,
  operation: OperationFacts,
  call: HeaderParts,
): Headers {
  const headers = new Headers(call.headers)
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  else if (pageSecret !== undefined) headers.set('x-skein-page-secret', pageSecret())
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  if (takesBody(operation)) headers.set('content-type', 'application/json')
  if (userAgent !== undefined) headers.set('user-agent', userAgent)
  if (!headers.has('x-request-id')) headers.set('x-request-id', createRandomId())
  // Created before the first attempt and used for all of them, which makes retries safe.
  if (operation.isMutation) headers.set('idempotency-key', call.idempotencyKey ?? createRandomId())
  if (call.justification !== undefined)
    headers.set('x-skein-justification', encodeURIComponent(call.justification))
  return headers
}

/** How long the service was asked to hold the request, which doesn't count as slow. */
export function heldForMs({ body }: RequestParts, headers: Headers): number {
  const waitMs: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'waitMs') : undefined
  const preferred = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(headers.get('prefer') ?? '')?.[1]
  return (typeof waitMs === 'number' ? waitMs : 0) + Number(preferred ?? 0) * 1000
}

/** Not `crypto.randomUUID`: browsers only have it on pages served over HTTPS. */
export function createRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

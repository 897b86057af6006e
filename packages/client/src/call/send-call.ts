import { buildHeaders, buildUrl, heldForMs, type RequestParts } from './build-request.ts'
import { SkeinTimeoutError, type SkeinClientError } from '../errors.ts'
import { takesBody, type OperationFacts } from './operation-facts.ts'
import { isRepeatable, retryDelayMs } from './retry-policy.ts'
import { pause } from './time-limit.ts'
import { SeenPosition } from './seen-position.ts'
import { tryOnce, type PreparedRequest } from './try-once.ts'

/**
 * Where the service is, who is calling, and the timeouts and retries.
 *
 * @example
 * import { createTransport, type TransportOptions } from '@skein/client'
 *
 * const options: TransportOptions = {
 *   baseUrl: 'https://skein.example.com',
 *   apiKey: process.env['SKEIN_API_KEY'] ?? '',
 *   timeoutMs: 10_000,
 *   retries: 6,
 *   userAgent: 'nightly/1.0',
 * }
 * const transport = createTransport(options)
 */
export interface SenderOptions {
  /** The service's base URL, including any path prefix of a proxy. */
  readonly baseUrl: string
  /**
   * Leave out in the service's own pages: the browser sends its session cookie. A function is asked before each request,
   * for keys that change.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /**
   * For the service's own pages: the secret that must accompany the session cookie. Keep it where only the page's
   * origin can read it, such as in `localStorage`. By default a session lasts as long as this object.
   */
  readonly pageSecret?: (() => string) | undefined
  /** Per attempt, in addition to the time the request asks the service to wait; 0 means no limit. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries. */
  readonly retries?: number | undefined
  readonly userAgent?: string | undefined
  /**
   * Every read includes everything committed before it, by any client. Without this, a service that reads from a
   * replica may leave out the last seconds of what others did, but nothing that this client did.
   */
  readonly readLatest?: boolean | undefined
  readonly fetch?: typeof fetch | undefined
  /** From 0 (inclusive) to 1 (exclusive), for the jitter between attempts. */
  readonly random?: (() => number) | undefined
  readonly now?: (() => number) | undefined
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

/**
 * A failed attempt that is followed by another.
 *
 * @example
 * import { Skein } from '@skein/client'
 *
 * const client = new Skein({
 *   baseUrl: 'https://skein.example.com',
 *   apiKey: process.env['SKEIN_API_KEY'] ?? '',
 *   onRetry: ({ operation, attempt, delayMs }) => console.error(operation.id, attempt, delayMs),
 * })
 */
export interface Retry {
  readonly operation: Pick<OperationFacts, 'id'>
  /** The failed attempt, counting from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: SkeinClientError
}

export interface CallSettings {
  /** For repetitions by the caller itself, such as after a crash. By default each call of a mutation has its own. */
  readonly idempotencyKey?: string | undefined
  readonly justification?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** Whether a call that may have been carried out is repeated. Default: all except polls. */
  readonly isRepeatable?: boolean | undefined
  /** Ends the call immediately, including retries and pauses. Use `AbortSignal.timeout` for a deadline. */
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

type Call = CallSettings & RequestParts

export type Sender = (operation: OperationFacts, call: Call) => Promise<unknown>

const DEFAULT_TIMEOUT_MS = 30_000
export const DEFAULT_RETRIES = 4

export function createSender(options: SenderState): Sender {
  const baseUrl = readBaseUrl(options.baseUrl)
  if (typeof options.apiKey === 'string') requireSendable(options.apiKey)
  const seen = options.seen ?? seenBy(options)
  return (operation, call) => callWithRetries({ ...options, baseUrl, seen }, operation, call)
}

export function seenBy({ readLatest = false }: Pick<SenderOptions, 'readLatest'>): SeenPosition {
  return new SeenPosition(readLatest ? 'latest' : undefined)
}

/** With what a sender and its streams share. */
export interface SenderState extends SenderOptions {
  readonly seen?: SeenPosition
}

async function callWithRetries(
  options: SenderState,
  operation: OperationFacts,
  call: Call,
): Promise<unknown> {
  const { random = Math.random, retries = DEFAULT_RETRIES, now = Date.now } = options
  const send = options.fetch ?? globalThis.fetch
  const request = await prepareRequest(options, operation, call)
  const { requestId } = request
  const lastAttempt = 1 + (call.retries ?? retries)
  let lastError: SkeinClientError | undefined
  for (let attempt = 1; ; attempt += 1) {
    throwIfAborted(call.signal, operation, requestId, lastError)
    const onHeaders = (headers: Headers) => options.seen?.note(headers)
    const outcome = await tryOnce(request, { send, now, signal: call.signal, onHeaders })
    if ('body' in outcome) return outcome.body
    lastError = outcome.error
    throwIfAborted(call.signal, operation, requestId, lastError)
    const delayMs = retryDelayMs(lastError, {
      attempt,
      isRepeatable: call.isRepeatable ?? isRepeatable(operation),
      random,
    })
    if (delayMs === undefined || attempt >= lastAttempt) throw lastError
    options.onRetry?.({ operation, attempt, delayMs, error: lastError })
    await pause(delayMs, call.signal)
  }
}

/** What all attempts of a call have in common. */
export async function prepareRequest(
  options: SenderState,
  operation: OperationFacts,
  call: Call,
): Promise<PreparedRequest> {
  const apiKey = typeof options.apiKey === 'function' ? await options.apiKey() : options.apiKey
  if (apiKey !== undefined) requireSendable(apiKey)
  const headers = buildHeaders({ ...options, apiKey }, operation, call)
  options.seen?.addTo(headers)
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  return {
    name: operation.id,
    url: buildUrl(options.baseUrl, operation, call),
    method: operation.method,
    headers,
    body: takesBody(operation) ? JSON.stringify(call.body ?? {}) : undefined,
    requestId: headers.get('x-request-id') ?? '',
    timeoutMs: timeoutMs === 0 ? 0 : timeoutMs + heldForMs(call, headers),
  }
}

/** An abort is thrown as given, like `fetch` does. A deadline is thrown as our own error. */
function throwIfAborted(
  signal: AbortSignal | undefined,
  operation: OperationFacts,
  requestId: string,
  lastError: SkeinClientError | undefined,
): void {
  if (signal?.aborted !== true) return
  const reason: unknown = signal.reason
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') throw reason
  const message = `${operation.id} got no response before the caller’s deadline.`
  throw new SkeinTimeoutError(message, { requestId, cause: lastError ?? reason })
}

export function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment')
  }
  return url.href.replace(/\/+$/, '')
}

/** The platform would include the key in its error message. */
function requireSendable(apiKey: string): void {
  if (apiKey === '') throw new TypeError('apiKey is empty.')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be printable ASCII, without spaces')
}

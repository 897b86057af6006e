import { buildHeaders, buildUrl, heldForMs, type RequestParts } from './build-request.ts'
import { SkeinTimeoutError, type SkeinClientError } from '../errors.ts'
import { takesBody, type OperationFacts } from './operation-facts.ts'
import { isRepeatable, retryDelayMs } from './retry-policy.ts'
import { pause } from './time-limit.ts'
import { tryOnce, type PreparedRequest } from './try-once.ts'

/**
 * Where the service is, who is calling, and how patiently.
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
  /** Of the service, with the path below which a proxy serves it, if there is one. */
  readonly baseUrl: string
  /** Left out in a page of the service itself: the browser sends the cookie of its session. */
  readonly apiKey?: string | undefined
  /**
   * For pages of the service itself: what makes the session's cookie count. Keep it where only the page's own origin
   * can read it, such as in `localStorage`; without it a session lasts as long as this object.
   */
  readonly pageSecret?: (() => string) | undefined
  /** For each try, on top of what the request asks the service to wait; 0 means no limit. */
  readonly timeoutMs?: number | undefined
  /** How many more times a call is tried at most. */
  readonly retries?: number | undefined
  readonly userAgent?: string | undefined
  readonly fetch?: typeof fetch | undefined
  /** From 0 to below 1, for the jitter between tries. */
  readonly random?: (() => number) | undefined
  readonly now?: (() => number) | undefined
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

/**
 * A try that failed and is followed by another.
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
  /** The try that failed: 1 is the first. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: SkeinClientError
}

export interface CallSettings {
  /** For what the caller itself repeats, such as after a crash. Without it each call of a mutation has its own. */
  readonly idempotencyKey?: string | undefined
  readonly justification?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** Whether a call that may have been carried out is sent again. All are by default, but for polls. */
  readonly isRepeatable?: boolean | undefined
  /** Ends the call at once, tries and pauses included. `AbortSignal.timeout` makes a deadline of it. */
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

type Call = CallSettings & RequestParts

export type Sender = (operation: OperationFacts, call: Call) => Promise<unknown>

const DEFAULT_TIMEOUT_MS = 30_000
export const DEFAULT_RETRIES = 4

export function createSender(options: SenderOptions): Sender {
  const baseUrl = readBaseUrl(options.baseUrl)
  if (options.apiKey !== undefined) requireSendable(options.apiKey)
  return (operation, call) => callWithRetries({ ...options, baseUrl }, operation, call)
}

async function callWithRetries(
  options: SenderOptions,
  operation: OperationFacts,
  call: Call,
): Promise<unknown> {
  const { random = Math.random, retries = DEFAULT_RETRIES, now = Date.now } = options
  const send = options.fetch ?? globalThis.fetch
  const request = prepareRequest(options, operation, call)
  const { requestId } = request
  const lastAttempt = 1 + (call.retries ?? retries)
  let lastError: SkeinClientError | undefined
  for (let attempt = 1; ; attempt += 1) {
    throwIfAborted(call.signal, operation, requestId, lastError)
    const outcome = await tryOnce(request, { send, now, signal: call.signal })
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

/** What all tries of a call have in common. */
export function prepareRequest(
  options: SenderOptions,
  operation: OperationFacts,
  call: Call,
): PreparedRequest {
  const headers = buildHeaders(options, operation, call)
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

/** An abort is thrown as the caller gave it, as `fetch` does; one that is a deadline, as our own. */
function throwIfAborted(
  signal: AbortSignal | undefined,
  operation: OperationFacts,
  requestId: string,
  lastError: SkeinClientError | undefined,
): void {
  if (signal?.aborted !== true) return
  const reason: unknown = signal.reason
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') throw reason
  const message = `${operation.id} had no answer before the caller’s deadline.`
  throw new SkeinTimeoutError(message, { requestId, cause: lastError ?? reason })
}

export function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query and fragment')
  }
  return url.href.replace(/\/+$/, '')
}

/** The platform would name the key in its own complaint. */
function requireSendable(apiKey: string): void {
  if (apiKey === '') throw new TypeError('apiKey is empty.')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be printable ASCII, without spaces')
}

import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@skein/contract'
import { buildUrl, createRandomId, heldForMs, type RequestParts } from './build-request.ts'
import { SkeinTimeoutError, type SkeinClientError } from './errors.ts'
import { isRepeatable, retryDelayMs } from './retry-policy.ts'
import { pause } from './time-limit.ts'
import { tryOnce, type PreparedRequest } from './try-once.ts'

/*
 * How a browser's bundle stays small: nothing but types is imported from the contract, so this package alone is
 * 4 KiB gzipped. An operation brings its schemas with it, and the first one most of the contract, 40 KiB. Of an
 * operation only id, method, path, isMutation and the presence of a body are read here, so a program that counts
 * bytes can hand in a table of just these under the contract's types.
 */

export interface TransportOptions {
  /** Of the service, with the path below which a proxy serves it, if there is one. */
  readonly baseUrl: string
  readonly apiKey: string
  /** For each try, on top of what the request asks the service to wait; 0 means no limit. */
  readonly timeoutMs?: number
  /** How many more times a call is tried at most. */
  readonly retries?: number
  readonly userAgent?: string
  readonly fetch?: typeof fetch
  /** From 0 to below 1, for the jitter between tries. */
  readonly random?: () => number
  readonly now?: () => number
  readonly onRetry?: (retry: Retry) => void
}

export interface Retry {
  readonly operation: Operation
  /** The try that failed: 1 is the first. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: SkeinClientError
}

/** Operations that answer with a stream are not for `call`. */
export type CallableOperation = Operation & { readonly streams?: false }

interface CallSettings {
  /** For what the caller itself repeats, such as after a crash. Without it each call of a mutation has its own. */
  readonly idempotencyKey?: string
  readonly timeoutMs?: number
  readonly retries?: number
  /** Whether a call that may have been carried out is sent again. All are by default, but for polls. */
  readonly isRepeatable?: boolean
  /** Ends the call at once, tries and pauses included. `AbortSignal.timeout` makes a deadline of it. */
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: undefined }
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

export type CallOptions<Op extends Operation> = CallSettings &
  Part<'params', ParamsOf<Op>> &
  Part<'query', QueryOf<Op>> &
  Part<'body', BodyOf<Op>>

type CallArguments<Op extends Operation> =
  object extends CallOptions<Op> ? [options?: CallOptions<Op>] : [options: CallOptions<Op>]

export interface Transport {
  call<const Op extends CallableOperation>(
    operation: Op,
    ...[options]: CallArguments<Op>
  ): Promise<ResponseOf<Op>>
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 4

export function createTransport(options: TransportOptions): Transport {
  const baseUrl = readBaseUrl(options.baseUrl)
  requireSendable(options.apiKey)
  return {
    async call(operation, ...[callOptions]) {
      const body = await callWithRetries(options, baseUrl, operation, callOptions ?? {})
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers against the same schema
      return body as ResponseOf<typeof operation>
    },
  }
}

async function callWithRetries(
  options: TransportOptions,
  baseUrl: string,
  operation: Operation,
  call: CallSettings & RequestParts,
): Promise<unknown> {
  const { random = Math.random, retries = DEFAULT_RETRIES, now = Date.now } = options
  const send = options.fetch ?? globalThis.fetch
  const headers = buildHeaders(options, operation, call)
  const requestId = headers.get('x-request-id') ?? ''
  const request: PreparedRequest = {
    name: operation.id,
    url: buildUrl(baseUrl, operation, call),
    method: operation.method,
    headers,
    body: operation.body ? JSON.stringify(call.body ?? {}) : undefined,
    requestId,
    timeoutMs: timeoutOf(call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS, call, headers),
  }
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

function buildHeaders(options: TransportOptions, operation: Operation, call: CallSettings): Headers {
  const headers = new Headers(call.headers)
  headers.set('authorization', `Bearer ${options.apiKey}`)
  headers.set('accept', 'application/json')
  if (operation.body) headers.set('content-type', 'application/json')
  if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent)
  if (!headers.has('x-request-id')) headers.set('x-request-id', createRandomId())
  // Made up before the first try and the same for all: that is what makes a retry harmless.
  if (operation.isMutation) headers.set('idempotency-key', call.idempotencyKey ?? createRandomId())
  return headers
}

function timeoutOf(timeoutMs: number, parts: RequestParts, headers: Headers): number {
  return timeoutMs === 0 ? 0 : timeoutMs + heldForMs(parts, headers)
}

/** An abort is thrown as the caller gave it, as `fetch` does; one that is a deadline, as our own. */
function throwIfAborted(
  signal: AbortSignal | undefined,
  operation: Operation,
  requestId: string,
  lastError: SkeinClientError | undefined,
): void {
  if (signal?.aborted !== true) return
  const reason: unknown = signal.reason
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') throw reason
  const message = `${operation.id} had no answer before the caller’s deadline.`
  throw new SkeinTimeoutError(message, { requestId, cause: lastError ?? reason })
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query and fragment')
  }
  return url.href.replace(/\/+$/, '')
}

/** The platform would name the key in its own complaint. */
function requireSendable(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be printable ASCII, without spaces')
}

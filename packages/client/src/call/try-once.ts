import { SkeinClientError, SkeinConnectionError, SkeinTimeoutError } from '../errors.ts'
import { readAnswer } from './read-answer.ts'
import { TimeLimit } from './time-limit.ts'

export interface PreparedRequest {
  /** Name of the operation, for messages. */
  readonly name: string
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly requestId: string
  readonly timeoutMs: number
}

type Outcome = { readonly body: unknown } | { readonly error: SkeinClientError }

interface Ports {
  readonly send: typeof fetch
  readonly now: () => number
  readonly signal: AbortSignal | undefined
  onHeaders?(headers: Headers): void
}

/** An abort by the caller looks like a broken connection here, so callers check the signal first. */
export async function tryOnce(
  request: PreparedRequest,
  { send, now, signal, onHeaders }: Ports,
): Promise<Outcome> {
  const limit = new TimeLimit(request.timeoutMs, signal)
  try {
    const response = await sendRequest(send, request, limit.signal)
    const { status, headers } = response
    onHeaders?.(headers)
    const answer = { status, headers, text: await response.text() }
    return { body: readAnswer(answer, request.requestId, now()) }
  } catch (error) {
    return { error: toClientError(error, request, limit.isOver) }
  } finally {
    limit.dispose()
  }
}

/** Translates what the platform threw. */
export function toClientError(
  error: unknown,
  { name, requestId, timeoutMs }: PreparedRequest,
  isTimeOver: boolean,
): SkeinClientError {
  if (error instanceof SkeinClientError) return error
  if (isTimeOver) {
    const message = `${name} got no response within ${timeoutMs} ms.`
    return new SkeinTimeoutError(message, { requestId, cause: error })
  }
  const message = `${name} got no response: the connection failed${causeOf(error)}.`
  return new SkeinConnectionError(message, { requestId, cause: error })
}

/** The system's error code only: the rest of the error may contain private data. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}

/** Resolves with the response headers. The body is still on its way. */
export async function sendRequest(
  send: typeof fetch,
  request: PreparedRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { url, method, headers, body, requestId } = request
  const response = await send(url, {
    method,
    headers,
    signal,
    // Following a redirect would turn a POST into a GET and could send the body elsewhere.
    redirect: 'manual',
    // With a key in the header, the visitor's cookie is not sent.
    credentials: headers.has('authorization') ? 'omit' : 'same-origin',
    ...(body !== undefined && { body }),
  })
  const { status } = response
  if (status === 0 || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    throw new SkeinConnectionError('The service’s URL redirects: use the final URL as baseUrl.', {
      requestId,
      isRetryable: false,
    })
  }
  return response
}

import { SkeinClientError, SkeinConnectionError, SkeinTimeoutError } from './errors.ts'
import { readAnswer, type Answer } from './read-answer.ts'
import { TimeLimit } from './time-limit.ts'

export interface PreparedRequest {
  /** Of the operation, for messages. */
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
}

/** An abort by the caller looks like a broken connection here: the caller of this looks at the signal first. */
export async function tryOnce(request: PreparedRequest, { send, now, signal }: Ports): Promise<Outcome> {
  const { name, requestId, timeoutMs } = request
  const limit = new TimeLimit(timeoutMs, signal)
  try {
    const answer = await fetchAnswer(send, request, limit.signal)
    return { body: readAnswer(answer, requestId, now()) }
  } catch (error) {
    if (error instanceof SkeinClientError) return { error }
    if (limit.isOver) {
      const message = `${name} had no answer within ${timeoutMs} ms.`
      return { error: new SkeinTimeoutError(message, { requestId, cause: error }) }
    }
    const message = `${name} had no answer: the connection failed${causeOf(error)}.`
    return { error: new SkeinConnectionError(message, { requestId, cause: error, isRetryable: true }) }
  } finally {
    limit.dispose()
  }
}

/** The system's word for it. Only the code: what else an error says is not ours to repeat. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}

async function fetchAnswer(
  send: typeof fetch,
  request: PreparedRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { url, method, headers, body, requestId } = request
  const response = await send(url, {
    method,
    headers,
    signal,
    // Followed, a redirect would turn a POST into a GET and could carry the body elsewhere.
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })
  const { status } = response
  if (status === 0 || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    throw new SkeinConnectionError(
      'The service’s address redirects elsewhere: use its final address as baseUrl.',
      {
        requestId,
        isRetryable: false,
      },
    )
  }
  return { status, headers: response.headers, text: await response.text() }
}

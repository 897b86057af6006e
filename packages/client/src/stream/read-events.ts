import { createParser } from 'eventsource-parser'
import { SkeinConnectionError } from '../errors.ts'
import { readAnswer } from '../call/read-answer.ts'
import { TimeLimit } from '../call/time-limit.ts'
import { sendRequest, toClientError, type PreparedRequest } from '../call/try-once.ts'

/** The service says something every 15 seconds: whoever hears nothing for so long is not connected any more. */
const QUIET_LIMIT_MS = 45_000

interface Ports {
  readonly send: typeof fetch
  readonly now: () => number
  readonly signal: AbortSignal | undefined
  onOpen(): void
}

interface ServerEvent {
  /** Undefined for what the operation answers with. */
  readonly name: string | undefined
  readonly id: string | undefined
  readonly content: unknown
}

/** The server-sent events of one response, each parsed. Throws when it ends; leaving the loop hangs up. */
export async function* readEvents(
  request: PreparedRequest,
  { send, now, signal, onOpen }: Ports,
): AsyncGenerator<ServerEvent, void> {
  const limit = new TimeLimit(request.timeoutMs, signal)
  try {
    const response = await sendRequest(send, request, limit.signal)
    if (!response.ok) {
      const { status, headers } = response
      readAnswer({ status, headers, text: await response.text() }, request.requestId, now())
    }
    onOpen()
    limit.restart(QUIET_LIMIT_MS)
    yield* parseEvents(requireBody(response, request), () => limit.restart(QUIET_LIMIT_MS))
    throw new SkeinConnectionError(`${request.name} was ended by the service.`, {
      requestId: request.requestId,
      isRetryable: true,
    })
  } catch (error) {
    throw toClientError(error, request, limit.isOver)
  } finally {
    limit.dispose()
  }
}

function requireBody(
  { body, headers }: Response,
  { requestId }: PreparedRequest,
): ReadableStream<Uint8Array> {
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (body && isEvents) return body
  const message = 'Something other than the service answered: the body is not a stream of events.'
  throw new SkeinConnectionError(message, { requestId, isRetryable: false })
}

/** Not `for await` over the body: Safari cannot. */
async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerEvent, void> {
  const arrived: ServerEvent[] = []
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      arrived.push({ name: event, id, content: JSON.parse(data) })
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      parser.feed(decoder.decode(value, { stream: true }))
      yield* arrived.splice(0)
    }
  } finally {
    // A connection that is cut already has nothing to cancel.
    await reader.cancel().catch(() => {})
  }
}

import { createParser } from 'eventsource-parser'
import { SkeinConnectionError } from '../errors.ts'
import { readAnswer } from '../call/read-answer.ts'
import { TimeLimit } from '../call/time-limit.ts'
import { sendRequest, toClientError, type PreparedRequest } from '../call/try-once.ts'

/** The service sends something every 15 seconds: after a longer silence, the connection is dead. */
const QUIET_LIMIT_MS = 45_000

interface Ports {
  readonly send: typeof fetch
  readonly now: () => number
  readonly signal: AbortSignal | undefined
  onOpen(): void
}

interface ServerEvent {
  /** Undefined for the operation's own events. */
  readonly name: string | undefined
  readonly id: string | undefined
  readonly content: unknown
}

/** The parsed server-sent events of one response. Throws when it ends. Leaving the loop disconnects. */
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
    throw new SkeinConnectionError(`${request.name} was closed by the service.`, {
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
  const message = 'The response is not from the service: the body is not an event stream.'
  throw new SkeinConnectionError(message, { requestId, isRetryable: false })
}

/** Not `for await` over the body: Safari doesn't support it. */
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
    // A lost connection has nothing to cancel.
    await reader.cancel().catch(() => {})
  }
}

import { once } from 'node:events'
import type { Operation } from '@skein/contract'
import type { FastifyReply } from 'fastify'
import { isStillValid } from '../plugins/authentication.ts'
import { countStream } from '../plugins/open-streams.ts'
import { repeatAlone } from './repeat-alone.ts'
import { defineRoute, type Route, type RouteInput } from './route.ts'

/** Keeps proxies from closing a quiet stream, and lets a client detect a dead one. */
const KEEP_ALIVE_MS = 15_000

/** Together with the key cache, a stream ends no later than 6.5 s after its key or session. */
const RECHECK_MS = 4_000

interface EventStream<Event> {
  readonly events: AsyncGenerator<Event>
  idOf(event: Event): string | undefined
  /** Aborted when the source no longer waits for the client. */
  readonly stalled?: AbortSignal
  /** The name of an event that isn't the operation's response type. Readers skip names they don't know. */
  nameOf?(event: Event): string | undefined
}

/** An operation that responds with server-sent events until the client disconnects. */
export function streamRoute<const Op extends Operation, Event extends object>(
  operation: Op,
  open: (input: RouteInput<Op>) => Promise<EventStream<Event>>,
): Route {
  return defineRoute(operation, async (input: RouteInput<Op>, reply) => {
    countStream(reply, 'stream')
    // Request errors must be found here, while a normal response is still possible.
    const stream = await open(input)
    await send(reply, stream, input.signal)
  })
}

async function send<Event extends object>(
  reply: FastifyReply,
  { events, idOf, nameOf, stalled }: EventStream<Event>,
  signal: AbortSignal,
): Promise<void> {
  const { raw } = reply
  reply.hijack()
  reply.setSecurityHeaders()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  const keepAlive = setInterval(() => void raw.write(':\n\n'), KEEP_ALIVE_MS)
  const recheck = repeatAlone(() => cutWhenInvalid(reply), RECHECK_MS)
  stalled?.addEventListener('abort', () => raw.destroy())
  try {
    for await (const event of events) {
      if (signal.aborted) break
      const head = formatField('event', nameOf?.(event)) + formatField('id', idOf(event))
      const isRoomLeft = raw.write(`${head}data: ${JSON.stringify(event)}\n\n`)
      // A slow client delays only itself: the timeline waits in the database.
      if (!isRoomLeft) await once(raw, 'drain', { signal })
    }
  } catch (error) {
    // After the headers are sent there is no status to return. The client resumes from its last event.
    if (!signal.aborted) reply.log.error({ err: error }, 'a stream broke')
  } finally {
    clearInterval(keepAlive)
    clearInterval(recheck)
    raw.end()
  }
}

function formatField(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\n`
}

/** Destroyed rather than ended, so that the stream's source is told. The client reconnects and is then rejected. */
async function cutWhenInvalid({ request, raw, log }: FastifyReply): Promise<void> {
  try {
    if (!(await isStillValid(request))) raw.destroy()
  } catch (error) {
    // While the database is unavailable, there are no events to leak either.
    log.warn({ err: error }, 'could not check the key of a stream')
  }
}

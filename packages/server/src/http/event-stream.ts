import { once } from 'node:events'
import type { Operation } from '@skein/contract'
import type { FastifyReply } from 'fastify'
import { isStillValid } from '../plugins/authentication.ts'
import { countStream } from '../plugins/open-streams.ts'
import { repeatAlone } from './repeat-alone.ts'
import { defineRoute, type Route, type RouteInput } from './route.ts'

/** Keeps proxies from cutting a quiet stream, and lets a client notice a dead one. */
const KEEP_ALIVE_MS = 15_000

/** With what the check itself may remember, a stream ends 6.5 s after its key or session at the latest. */
const RECHECK_MS = 4_000

interface EventStream<Event> {
  readonly events: AsyncGenerator<Event>
  idOf(event: Event): string | undefined
  /** Of an event that is not what the operation answers with; readers skip names they do not know. */
  nameOf?(event: Event): string | undefined
}

/** An operation that answers with server-sent events until the client hangs up. */
export function streamRoute<const Op extends Operation, Event extends object>(
  operation: Op,
  open: (input: RouteInput<Op>) => Promise<EventStream<Event>>,
): Route {
  return defineRoute(operation, async (input: RouteInput<Op>, reply) => {
    countStream(reply, 'stream')
    // Whatever is wrong with the request is found out here, while an ordinary answer is still possible.
    const stream = await open(input)
    await send(reply, stream, input.signal)
  })
}

async function send<Event extends object>(
  reply: FastifyReply,
  { events, idOf, nameOf }: EventStream<Event>,
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
  try {
    for await (const event of events) {
      if (signal.aborted) break
      const head = formatField('event', nameOf?.(event)) + formatField('id', idOf(event))
      const isRoomLeft = raw.write(`${head}data: ${JSON.stringify(event)}\n\n`)
      // A client that reads slowly holds up only itself: the timeline waits in the database.
      if (!isRoomLeft) await once(raw, 'drain', { signal })
    }
  } catch (error) {
    // Once the head is sent there is no status left to give: cut, the client goes on from its last event.
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

/** Cut rather than ended, so that whatever feeds the stream is told. The client comes back, and is refused then. */
async function cutWhenInvalid({ request, raw, log }: FastifyReply): Promise<void> {
  try {
    if (!(await isStillValid(request))) raw.destroy()
  } catch (error) {
    // While the database cannot be asked, it has no events to give away either.
    log.warn({ err: error }, 'the key of a stream could not be checked')
  }
}

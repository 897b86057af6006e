import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Long enough for a request already on its way to a stopping server. */
const SILENCE_MS = 500

/**
 * How long clients should keep an idle connection, if the server announces its stop. One that was idle during the whole
 * delay has been closed by its client then, so no request is lost that was sent while the server closed it. The server
 * itself keeps connections longer, because proxies don't read this.
 */
function keepAliveHint(delayMs: number, keptMs: number): string | undefined {
  const seconds = Math.floor(delayMs / 1000)
  return seconds > 1 && delayMs < keptMs ? `timeout=${seconds}` : undefined
}

/**
 * The last response on a connection asks the client to close it. A kept-alive connection would delay a stopping
 * server until the grace period ends. So would one that a client opened in advance and never used, as many do: no
 * response will ever close it.
 */
export function installConnectionClose(app: FastifyInstance, draining: AbortSignal, delayMs: number): void {
  const hint = keepAliveHint(delayMs, app.server.keepAliveTimeout)
  const sockets = new Set<Socket>()
  let isStopping = false
  const closeSilent = (): void => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  app.addHook('preClose', async () => {
    isStopping = true
    // Not at once after the timer: a busy server reads what has arrived meanwhile first.
    setTimeout(() => setImmediate(closeSilent), SILENCE_MS).unref()
  })
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping || draining.aborted) void reply.header('connection', 'close')
    else if (hint !== undefined && reply.raw.shouldKeepAlive)
      void reply.headers({ connection: 'keep-alive', 'keep-alive': hint })
  })
}

import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Long enough for a request already on its way to a stopping server. */
const SILENCE_MS = 500

/**
 * The last response on a connection asks the client to close it. A kept-alive connection would delay a stopping
 * server until the grace period ends. So would one that a client opened in advance and never used, as many do: no
 * response will ever close it.
 */
export function installConnectionClose(app: FastifyInstance, draining: AbortSignal): void {
  const sockets = new Set<Socket>()
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
    setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, SILENCE_MS).unref()
  })
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping || draining.aborted) void reply.header('connection', 'close')
  })
}

import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Long enough for a request that is on its way to a server that stops. */
const SILENCE_MS = 500

/**
 * The last answer on a connection asks the client to let go of it. One that is kept alive would keep a stopping
 * server until the grace is over. So would one that was opened in advance and never used, as many clients do: no
 * answer will ever close it.
 */
export function installConnectionClose(app: FastifyInstance): void {
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
    if (isStopping) void reply.header('connection', 'close')
  })
}

import { SkeinError } from '@skein/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'

const open = new WeakMap<FastifyInstance, Set<AbortController>>()

/** Waiting requests would keep a server from stopping, so they are aborted first. */
export function installOpenRequests(app: FastifyInstance): void {
  const controllers = new Set<AbortController>()
  open.set(app, controllers)
  app.addHook('preClose', async () => {
    const reason = new SkeinError('SERVER_STOPPING', { retryDelayMs: 500 })
    for (const controller of controllers) controller.abort(reason)
  })
}

/** Aborted when the client disconnects or the server stops. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const controllers = open.get(reply.server)
  const { raw } = reply
  // The client disconnected while its key was checked: there will be no close event.
  if (raw.destroyed) {
    controller.abort(new SkeinError('REQUEST_CANCELLED'))
    return controller.signal
  }
  controllers?.add(controller)
  raw.once('close', () => {
    controllers?.delete(controller)
    if (!raw.writableFinished) controller.abort(new SkeinError('REQUEST_CANCELLED'))
  })
  return controller.signal
}

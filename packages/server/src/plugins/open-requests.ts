import { SkeinError } from '@skein/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'

const open = new WeakMap<FastifyInstance, Set<AbortController>>()

/** Requests that wait for something would keep a server from stopping: it lets go of them first. */
export function installOpenRequests(app: FastifyInstance): void {
  const controllers = new Set<AbortController>()
  open.set(app, controllers)
  app.addHook('preClose', async () => {
    const reason = new SkeinError('SERVER_STOPPING', { retryDelayMs: 500 })
    for (const controller of controllers) controller.abort(reason)
  })
}

/** Aborted when the client hangs up or the server stops. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const controllers = open.get(reply.server)
  const { raw } = reply
  // Whoever hung up while its key was checked is gone already: nothing more will be heard of it.
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

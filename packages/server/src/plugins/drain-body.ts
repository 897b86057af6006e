import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const MAX_DRAINED_BYTES = 32 * 1024 * 1024
const DRAIN_MS = 20_000

/**
 * Closing a connection while the client is still sending resets it, and most clients then report a broken pipe
 * instead of the response. So when the connection closes after the response (the body is too large, or the client
 * asked for it), the rest of the body is read and discarded first, up to a limit.
 */
export function installBodyDrain(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, { statusCode }) => {
    const isClosing = statusCode === 413 || raw.headers.connection === 'close'
    if (isClosing && !raw.complete) await drain(raw)
  })
}

function drain(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_DRAINED_BYTES
    const settle = (): void => {
      clearTimeout(timer)
      body.off('data', count).pause()
      resolve()
    }
    const count = (chunk: Buffer): void => {
      left -= chunk.length
      if (left < 0) settle()
    }
    const timer = setTimeout(settle, DRAIN_MS).unref()
    body.once('end', settle).once('close', settle).on('data', count).resume()
  })
}

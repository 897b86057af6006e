import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FrontAddress } from '../sandbox/sandbox.ts'

/** Answers requests below one prefix; `path` is what follows it, with the query. Who asks is for the handler to check. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>

/**
 * The one server that agents can reach: the model gateway, the tools and the git front stand behind it. It listens
 * on the loopback and on a socket, for sandboxes without a network, so that its address is the same in both.
 */
export class Front {
  readonly #handlers: ReadonlyMap<string, FrontHandler>
  readonly #onError: (error: unknown) => void
  readonly #servers: Server[] = []

  /** A handler that throws is told of, and its request is answered with 500 or cut. */
  constructor(
    handlers: Readonly<Record<string, FrontHandler>>,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#handlers = new Map(Object.entries(handlers))
    this.#onError = onError
  }

  async listen(socketPath: string, port = 0): Promise<FrontAddress> {
    await rm(socketPath, { force: true })
    const onSocket = this.#createServer()
    await listening(onSocket, { path: socketPath })
    // The agent inside a sandbox is another user; the token is what protects the front.
    await chmod(socketPath, 0o666)
    const onPort = this.#createServer()
    await listening(onPort, { host: '127.0.0.1', port })
    const address = onPort.address()
    if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
    return { port: address.port, socketPath }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      ),
    )
  }

  #createServer(): Server {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        // Whoever hangs up in mid-request breaks its handler; that is no fault.
        if (!request.destroyed || request.complete) this.#onError(error)
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end()
      })
    })
    // A model may think for a long time before its first byte, and a push may be large.
    server.requestTimeout = 0
    // One agent must not use up what all of them share.
    server.maxConnections = 2048
    server.timeout = 0
    this.#servers.push(server)
    return server
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, prefix = '', path = '/'] = /^\/([a-z]+)(\/[^]*)?$/.exec(request.url ?? '') ?? []
    const handler = this.#handlers.get(prefix)
    if (handler) await handler(request, response, path)
    else response.writeHead(404).end()
  }
}

function listening(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

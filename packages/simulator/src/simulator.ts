import { createServer } from 'node:http'
import { Director } from './director.ts'
import { Reply } from './reply.ts'
import { RequestLog, type LoggedRequest } from './request-log.ts'
import { loadScripts } from './script/script-library.ts'
import { serveRequest } from './serve-request.ts'

export interface SimulatorOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly host?: string
  /** Folders with scripts, tried before the built-in ones. */
  readonly scripts?: readonly string[]
  /** Number of requests to keep in the log. */
  readonly logLimit?: number
  /** Keys that get 401, as revoked ones do. */
  readonly refusedKeys?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
}

export interface Simulator {
  /** Without a trailing slash: `/v1/messages` and `/v1/responses` follow. */
  readonly url: string
  /** Grows as requests come in. */
  readonly requests: readonly LoggedRequest[]
  /** Breaks every open connection. */
  close(): Promise<void>
}

export async function startSimulator({
  port = 0,
  host = '127.0.0.1',
  scripts = [],
  logLimit = 1_000,
  refusedKeys = [],
  now = Date.now,
  random = Math.random,
}: SimulatorOptions = {}): Promise<Simulator> {
  const director = new Director(await loadScripts(scripts), { now, random })
  const log = new RequestLog(logLimit)
  const closing = new AbortController()
  const server = createServer((request, response) => {
    const reply = new Reply(response, closing.signal)
    serveRequest({ request, response, reply, director, log, refusedKeys, now }).catch(() =>
      response.destroy(),
    )
  })
  // Some scripts simulate a model that hangs.
  server.requestTimeout = 0
  // A connection closed just as a client reuses it would look like a fault of the model.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    requests: log.requests,
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

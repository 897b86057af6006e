import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ListenOptions, Server as Listener, Socket } from 'node:net'
import type { FrontLimits } from './front-limits.ts'
import { Rate } from './rate.ts'

/** How often slow connections are checked. */
const CHECK_MS = 1_000

export interface DoorOptions {
  readonly limits: FrontLimits
  /** Whether several agents use it. A door for one agent only needs an overall limit. */
  readonly isShared: boolean
  readonly answer: (request: IncomingMessage, response: ServerResponse, door: Door) => void
}

/** One place where the front listens, and its connections. */
export class Door {
  readonly guesses: Rate
  readonly #server: Server
  /** Connections that have not shown a token, oldest first. */
  readonly #strangers = new Set<Socket>()
  readonly #busy = new WeakSet<Socket>()

  constructor({ limits, isShared, answer }: DoorOptions) {
    this.guesses = new Rate(limits.guesses)
    this.#server = createServer(
      {
        connectionsCheckingInterval: CHECK_MS,
        headersTimeout: limits.headersMs,
        requestTimeout: limits.uploadMs,
        keepAliveTimeout: limits.keepAliveMs,
      },
      (request, response) => {
        const { socket } = request
        // Pipelined requests would pile up while the first is being answered. Nobody needs them.
        if (this.#busy.has(socket)) return void socket.destroy()
        this.#busy.add(socket)
        response.once('close', () => this.#busy.delete(socket))
        answer(request, response, this)
      },
    )
    // A model may think for a long time before its first byte.
    this.#server.timeout = 0
    if (!isShared) this.#server.maxConnections = limits.connections
    else this.#server.on('connection', (socket: Socket) => this.#noticeStranger(socket, limits.strangers))
  }

  async listen(where: ListenOptions): Promise<ReturnType<Server['address']>> {
    this.#server.listen(where)
    await once(this.#server, 'listening')
    return this.#server.address()
  }

  /** Takes over a socket that listens already. Several only if it listens elsewhere too. */
  serve(listener: Listener): void {
    if (!this.#server.listening) this.#server.listen(listener)
    else listener.on('connection', (socket) => this.#server.emit('connection', socket))
  }

  /** The connection has shown a valid token. */
  recognise(connection: Socket): void {
    this.#strangers.delete(connection)
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  /** Clients with a token show it immediately, so those that have waited longest are the least likely to have one. */
  #noticeStranger(socket: Socket, max: number): void {
    this.#strangers.add(socket)
    socket.once('close', () => this.#strangers.delete(socket))
    const [oldest] = this.#strangers
    if (this.#strangers.size > max) oldest?.destroy()
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Random } from '@skein/testkit'
import type { Arrival, MessageReceiver } from './message-receiver.ts'

/** A chat that remembers everything, and refuses one message in ten. */
export class Chat implements MessageReceiver {
  readonly integration = 'chat'
  readonly arrivals: Arrival[] = []
  readonly #random: Random
  readonly #server: Server

  private constructor(random: Random) {
    this.#random = random
    this.#server = createServer((request, response) => void this.#serve(request, response))
    // Its connections outlive the servers', so that it never closes one on which a request is coming.
    this.#server.keepAliveTimeout = 60_000
  }

  static async start(random: Random): Promise<Chat> {
    const chat = new Chat(random)
    await new Promise<void>((resolve) => chat.#server.listen(0, '127.0.0.1', resolve))
    return chat
  }

  get document(): object {
    return { type: 'slack', url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/` }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined)
    // The sender was killed in the middle of it.
    if (body === undefined) return
    const status = this.#random.chance(0.1) ? 500 : 200
    const arrival = {
      message: body,
      at: performance.now(),
      status,
      answeredAt: undefined as number | undefined,
    }
    this.arrivals.push(arrival)
    response.writeHead(status).end(() => (arrival.answeredAt = performance.now()))
  }
}

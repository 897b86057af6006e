import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A chat on this machine: it takes whatever is posted to it. */
export class MessageReceiver {
  readonly received: ReceivedMessage[] = []
  /** Decides the status; a promise delays it. */
  answer: (count: number) => number | Promise<number> = () => 200
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.received.push({ headers: request.headers, body: await text(request) })
    response.writeHead(await this.answer(this.received.length)).end('ok')
  }

  static async start(): Promise<MessageReceiver> {
    const receiver = new MessageReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/services/T0/B0/secret`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

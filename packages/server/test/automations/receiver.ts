import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as the receiver got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: ReceivedBody
}

interface ReceivedBody {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly sequence: string; readonly agentId: { readonly agent: string[] } }
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A real receiver of webhooks on this machine. */
export class TestReceiver {
  readonly received: Received[] = []
  /** Decides the answer; a promise delays it. */
  answer: (request: Received, count: number) => Reply | Promise<Reply> = () => ({ status: 204 })
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const got = { headers: request.headers, body, json: JSON.parse(body) as ReceivedBody }
    this.received.push(got)
    const { status, headers = {}, body: reply } = await this.answer(got, this.received.length)
    response.writeHead(status, headers).end(reply)
  }

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** What arrived of one agent, in order. */
  sequencesOf(agent: string): number[] {
    return this.received
      .filter(({ json }) => json.data.agentId.agent.join('/') === agent)
      .map(({ json }) => Number(json.data.sequence))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

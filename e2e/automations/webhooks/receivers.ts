import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@skein/testkit'
import type { Request } from '../lost-answers.ts'

/** One request, as a receiver saw it. */
export interface Arrival extends Request {
  readonly webhookId: string
  /** Its `webhook-timestamp`. */
  readonly timestamp: number
  readonly agent: string
  readonly sequence: number
}

interface Reply {
  readonly status: number
  readonly afterMs: number
}

/** A receiver that remembers everything. */
export class Receiver {
  readonly name: string
  readonly arrivals: Arrival[] = []
  readonly #reply: () => Reply
  readonly #server: Server
  /** While set, it answers 503, as during an outage. */
  isDown = false

  constructor(name: string, reply: () => Reply) {
    this.name = name
    this.#reply = reply
    this.#server = createServer((request, response) => void this.#serve(request, response))
    // Its connections outlive the servers', so that it never closes one on which a request is coming.
    this.#server.keepAliveTimeout = 60_000
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: string
    try {
      body = await text(request)
    } catch {
      // The sender was killed in the middle of it.
      return
    }
    const { data } = JSON.parse(body) as { data: { sequence: string; agentId: { agent: string[] } } }
    const arrival = {
      at: performance.now(),
      webhookId: String(request.headers['webhook-id']),
      timestamp: Number(request.headers['webhook-timestamp']),
      agent: data.agentId.agent.join('/'),
      sequence: Number(data.sequence),
      status: 0,
      answeredAt: undefined as number | undefined,
    }
    this.arrivals.push(arrival)
    const { status, afterMs } = this.isDown ? { status: 503, afterMs: 0 } : this.#reply()
    if (afterMs > 0) await pause(afterMs)
    arrival.status = status
    if (response.destroyed) return
    response.writeHead(status).end(() => (arrival.answeredAt = performance.now()))
  }
}

/** A good, a flaky and a slow one. */
export async function startReceivers(random: Random): Promise<Receiver[]> {
  const receivers = [
    new Receiver('good', () => ({ status: 204, afterMs: 0 })),
    // Whether it has accepted the event before it fails is up to it: it remembers it in any case.
    new Receiver('flaky', () => ({ status: random.chance(0.1) ? 500 : 200, afterMs: 0 })),
    new Receiver('slow', () => ({ status: 200, afterMs: 50 + random.below(400) })),
  ]
  for (const receiver of receivers) await receiver.start()
  return receivers
}

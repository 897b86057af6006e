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

/** What a server sends at once. */
const HOLDER_LANES = 8
const GATHER_MS = 500

/** A receiver that remembers everything. */
export class Receiver {
  readonly name: string
  readonly arrivals: Arrival[] = []
  readonly #reply: () => Reply
  readonly #server: Server
  /** While down, it answers 503. While it recovers, it does so to most requests that come together, but not to the last. */
  state: 'up' | 'down' | 'recovering' = 'up'
  /** How often it did so while it recovered. */
  recoveries = 0
  #together: Gathering | undefined

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

  /** The answers to requests that came together leave together, in the order in which they came. */
  async #decide(): Promise<Reply> {
    if (this.state === 'up') return this.#reply()
    if (this.state === 'down') return { status: 503, afterMs: 0 }
    const gathering = (this.#together ??= new Gathering())
    const { place, of } = await gathering.join()
    if (this.#together === gathering) this.#together = undefined
    if (of < HOLDER_LANES || place > HOLDER_LANES) return this.#reply()
    if (place < HOLDER_LANES) return { status: 503, afterMs: 0 }
    this.recoveries++
    return this.#reply()
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
    const { status, afterMs } = await this.#decide()
    if (afterMs > 0) await pause(afterMs)
    arrival.status = status
    if (response.destroyed) return
    response.writeHead(status).end(() => (arrival.answeredAt = performance.now()))
  }
}

/** Requests that wait until enough have come, or none comes any more. */
class Gathering {
  #amount = 0
  readonly #full = new AbortController()
  readonly #ended = pause(GATHER_MS, undefined, { signal: this.#full.signal }).catch(() => undefined)

  /** Returns which one it was, and of how many. */
  async join(): Promise<{ readonly place: number; readonly of: number }> {
    const place = ++this.#amount
    if (place === HOLDER_LANES) this.#full.abort()
    await this.#ended
    return { place, of: this.#amount }
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

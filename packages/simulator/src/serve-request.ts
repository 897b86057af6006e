import type { IncomingMessage, ServerResponse } from 'node:http'
import { anthropic } from './anthropic/anthropic.ts'
import type { Director, Directions } from './director.ts'
import { isObject, parseJson } from './json.ts'
import { openai } from './openai/openai.ts'
import type { Exchange, Protocol, WireError } from './protocol.ts'
import type { Reply } from './reply.ts'
import { apiKeyIn, type RequestLog } from './request-log.ts'

const MAX_BODY_BYTES = 64 * 1024 * 1024

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly reply: Reply
  readonly director: Director
  readonly log: RequestLog
  readonly refusedKeys: readonly string[]
  readonly now: () => number
}

export async function serveRequest(arrival: Arrival): Promise<void> {
  const { request, response, reply, director, log, refusedKeys, now } = arrival
  const { method = '', url: path = '/', headers } = request
  // Used for testing keys. Not a request to the model, so it is not logged.
  if (method === 'GET' && path === '/v1/models') return listModels(arrival)
  const route = findRoute(path)
  const entry = log.begin({ startedAt: now(), protocol: route?.protocol.name, method, path, headers })
  response.once('close', () => {
    entry.endedAt = now()
    entry.status = response.headersSent ? response.statusCode : 0
    entry.wasAborted = !response.writableFinished
  })
  const voice = new Voice(reply, route?.protocol ?? anthropic, `req_${director.newId()}`)
  if (refusedKeys.includes(entry.apiKey)) return voice.refuse(401, 'invalid x-api-key')
  if (!route) return voice.refuse(404, `The simulator does not serve ${path}.`)
  if (method !== 'POST') return voice.refuse(405, `${method} is not allowed here: use POST.`)
  const text = await readBody(request)
  if (text === undefined) return voice.refuse(413, 'The request is too large.')
  const body = parseJson(text)
  if (!isObject(body)) return voice.refuse(400, 'The request body is not a JSON object.')
  entry.body = body
  if (route.isCount) return voice.sendCount(text)
  const exchange = route.protocol.readExchange(body)
  entry.model = exchange.request.model
  entry.isSide = exchange.request.isSide
  const directions = director.direct(exchange.request)
  entry.script = directions.script
  entry.step = directions.step
  await voice.send(exchange, directions)
}

function listModels({ request, reply, refusedKeys }: Arrival): void {
  const isRefused = refusedKeys.includes(apiKeyIn(request.headers))
  if (isRefused) reply.sendJson(401, {}, { error: { message: 'invalid x-api-key' } })
  else reply.sendJson(200, {}, { data: [] })
}

interface Route {
  readonly protocol: Protocol
  /** Only counts the tokens of a request. */
  readonly isCount: boolean
}

/** Ignores any prefix before the provider's path, which depends on the base URL. */
function findRoute(path: string): Route | undefined {
  const [pathname = ''] = path.split('?', 1)
  if (pathname.endsWith('/v1/messages')) return { protocol: anthropic, isCount: false }
  if (pathname.endsWith('/v1/messages/count_tokens')) return { protocol: anthropic, isCount: true }
  if (pathname.endsWith('/responses')) return { protocol: openai, isCount: false }
  return undefined
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Writes one provider's responses on one connection. */
class Voice {
  readonly #reply: Reply
  readonly #protocol: Protocol
  readonly #requestId: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(reply: Reply, protocol: Protocol, requestId: string) {
    this.#reply = reply
    this.#protocol = protocol
    this.#requestId = requestId
    this.#headers = { [protocol.requestIdHeader]: requestId }
  }

  refuse(status: number, message: string): void {
    this.#sendError({ status, message, code: undefined }, {})
  }

  sendCount(text: string): void {
    this.#reply.sendJson(200, this.#headers, { input_tokens: Math.ceil(text.length / 4) })
  }

  async send(exchange: Exchange, { reply, headers, delayMs }: Directions): Promise<void> {
    await this.#reply.pause(delayMs)
    if ('error' in reply) return this.#sendError(reply.error, headers)
    const { answer } = reply
    const all = { ...this.#headers, ...headers }
    if (exchange.request.isStreaming) return this.#reply.sendStream(all, exchange.streamAnswer(answer))
    switch (answer.failure?.kind) {
      case 'error':
        return this.#sendError(answer.failure, headers)
      case 'hang':
        return this.#reply.hang()
      case 'cut':
        return this.#reply.cut()
      case undefined:
        return this.#reply.sendJson(200, all, exchange.describeAnswer(answer))
    }
  }

  #sendError(error: WireError, headers: Readonly<Record<string, string>>): void {
    const body = this.#protocol.describeError(error, this.#requestId)
    this.#reply.sendJson(error.status, { ...this.#headers, ...headers }, body)
  }
}

import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestServer } from '@skein/testkit'

export interface StreamedEvent {
  readonly id: string | undefined
  readonly name?: string | undefined
  readonly data: unknown
}

export interface LiveRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly method?: 'GET' | 'POST'
}

/** Talks to the server over a separate socket for each request, which closes when the client disconnects. */
export class LiveClient {
  readonly baseUrl: string
  readonly key: string

  private constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.key = key
  }

  static async of({ app }: TestServer, key: string | undefined): Promise<LiveClient> {
    const address = app.server.address()
    const baseUrl =
      typeof address === 'object' && address
        ? `http://127.0.0.1:${address.port}`
        : await app.listen({ port: 0, host: '127.0.0.1' })
    return new LiveClient(baseUrl, String(key))
  }

  async post(
    path: string,
    body: unknown,
    { headers = {}, signal, method = 'POST' }: LiveRequest = {},
  ): Promise<IncomingMessage> {
    const sent = request(`${this.baseUrl}${path}`, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(signal && { signal }),
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }

  /** The events of a stream until the signal ends it. A part of an event that was cut off is no event. */
  async *stream(path: string, body: unknown, options: LiveRequest): AsyncGenerator<StreamedEvent> {
    try {
      const response = await this.post(path, body, options)
      if (response.statusCode !== 200) throw new Error(`Refused: ${await text(response)}`)
      response.setEncoding('utf8')
      let rest = ''
      for await (const chunk of response) {
        const parts = (rest + String(chunk)).split('\n\n')
        rest = parts.pop() ?? ''
        yield* parts.flatMap(parseEvent)
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error
    }
  }
}

/** A comment, which keeps the line open, is no event. */
function parseEvent(part: string): StreamedEvent[] {
  const field = (name: string) =>
    part
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = field('data')
  return data === undefined
    ? []
    : [{ id: field('id'), name: field('event'), data: JSON.parse(data) as unknown }]
}

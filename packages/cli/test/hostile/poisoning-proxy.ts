import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A title, the clipboard, a cleared screen, hidden and red text, C1 forms of the same, overwriting, and bidi marks. */
export const POISON =
  '\u001b]0;t\u0007\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u001b[41m\u001b[8m\u009b2J\u009d0;t\u009c\u0090q\u009c\r\b\u007f' +
  '\u202e\u2066\u2069\u200e\u200f\u061cpwned'

/** Where the service itself takes one line only; elsewhere a line break must not make a line that looks like ours. */
const ONE_LINE =
  /^(agent|workspace|followUpId|id|blockedBy|account|org|token|name|role|updatedBy|operation|dashboardUrl)$/

/** What programs read to find their way: with poison in it, a command would only say that it cannot. */
const KEPT_FIELDS = new Set(['type', '@type', 'kind', 'nextPageToken', 'cursor', 'sequence', 'key', 'reason'])
const KEPT_VALUES = /^(|\d+|\d{4}-\d\d-\d\dT.*|[A-Z]+_[A-Z_]+)$/

/** Stands before a real server and puts poison behind every text that it answers with. */
export class PoisoningProxy {
  readonly #server: Server
  readonly #target: string

  constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers, url = '/' } = request
    const hasBody = method === 'POST'
    const left = new AbortController()
    response.once('close', () => left.abort())
    try {
      const answer = await fetch(`${this.#target}${url}`, {
        method,
        headers: {
          ...(headers as Record<string, string>),
          connection: 'close',
          'accept-encoding': 'identity',
        },
        ...(hasBody && { body: await buffer(request) }),
        signal: left.signal,
      })
      const type = answer.headers.get('content-type') ?? ''
      response.writeHead(answer.status, { 'content-type': type })
      if (type.startsWith('text/event-stream')) await this.#poisonStream(answer, response)
      else response.end(poisonText(await answer.text()))
    } catch (error) {
      if (!left.signal.aborted) throw error
    }
  }

  async #poisonStream(answer: Response, response: ServerResponse): Promise<void> {
    let rest = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines)
        response.write(line.startsWith('data: ') ? `data: ${poisonText(line.slice(6))}\n` : `${line}\n`)
    }
    response.end()
  }
}

function poisonText(json: string): string {
  return json === '' ? '' : JSON.stringify(poisonValue(JSON.parse(json)))
}

function poisonValue(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return poisonString(value, field)
  if (Array.isArray(value)) return value.map((item: unknown) => poisonValue(item, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poisonValue(item, name)]))
}

function poisonString(value: string, field: string): string {
  if (field === 'payload') {
    const document = poisonValue(JSON.parse(Buffer.from(value, 'base64').toString()))
    return Buffer.from(JSON.stringify(document)).toString('base64')
  }
  return KEPT_FIELDS.has(field) || KEPT_VALUES.test(value)
    ? value
    : `${value}${POISON}${ONE_LINE.test(field) ? '' : '\nforged'}`
}

import { request, type Agent } from 'node:http'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Record<string, unknown>
  /** The reason of an error. */
  readonly reason: unknown
}

export interface HttpRequest {
  readonly method?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly agent?: Agent
}

/** One request per connection, unless an agent keeps one alive. */
export function send(url: string, options: HttpRequest = {}): Promise<HttpAnswer> {
  const { method = 'GET', key, headers = {}, body, agent } = options
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: agent ?? false,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        incoming.on('error', reject)
        incoming.on('end', () => resolve(toAnswer(incoming.statusCode ?? 0, incoming.headers, text)))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function toAnswer(status: number, headers: HttpAnswer['headers'], text: string): HttpAnswer {
  const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  const [detail] = Array.isArray(body['details']) ? (body['details'] as Record<string, unknown>[]) : []
  return { status, headers, body, reason: detail?.['reason'] }
}

/** Writes a document; answers what the service sent back. */
export async function writeDocument(
  url: string,
  key: string,
  path: string,
  document: unknown,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ answer: HttpAnswer; document: Record<string, unknown> }> {
  const payload = Buffer.from(JSON.stringify(document)).toString('base64')
  const answer = await send(`${url}/v1/catalog/${path}`, {
    method: 'POST',
    key,
    body: { payload, ...fields },
  })
  const written = answer.body['payload']
  if (typeof written !== 'string') return { answer, document: {} }
  const text = Buffer.from(written, 'base64').toString()
  return { answer, document: JSON.parse(text) as Record<string, unknown> }
}

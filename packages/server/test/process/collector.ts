import { once } from 'node:events'
import { createServer } from 'node:http'

interface ReceivedSpan {
  readonly traceId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  readonly paths: readonly string[]
  close(): Promise<void>
}

interface OtlpAttribute {
  key: string
  value: Record<string, unknown>
}

interface OtlpBody {
  resourceSpans: {
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: OtlpAttribute[] })[] }[]
  }[]
}

/** What an OTLP collector does as far as these tests care: takes JSON over HTTP and remembers the spans. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const paths: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    paths.push(request.url ?? '')
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      spans.push(...spansIn(JSON.parse(text) as OtlpBody))
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    paths,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansIn({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }): [string, unknown] => [key, Object.values(value)[0]]),
      ),
    }))
}

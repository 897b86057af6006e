import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** The program that sent it. */
  readonly service: unknown
}

export interface TraceCollector {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  readonly paths: readonly string[]
  /** Everything received, for what must not be in it. */
  readonly text: string
  close(): Promise<void>
}

interface OtlpAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'links'> & {
        readonly attributes: readonly OtlpAttribute[]
        readonly links?: ReceivedSpan['links']
      })[]
    }[]
  }[]
}

/** What an OTLP collector does as far as tests care: takes JSON over HTTP and remembers the spans. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = []
  const paths: string[] = []
  let received = ''
  const server = createServer((request, response) => {
    let text = ''
    paths.push(request.url ?? '')
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      received += text
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the format of OTLP
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
    get text() {
      return received
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansIn({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        links: span.links ?? [],
        attributes: toRecord(span.attributes),
        service: toRecord(resource.attributes)['service.name'],
      })),
  )
}

function toRecord(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }): [string, unknown] => [key, Object.values(value)[0]]),
  )
}

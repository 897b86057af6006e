import { request as startHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as startHttps } from 'node:https'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

export interface UpstreamRequest {
  readonly url: URL
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  /** When all of the body has been handed to the network. */
  readonly onSent: () => void
  /** Breaks the connection, before and after the answer has begun. */
  readonly signal: AbortSignal
}

/** Resolves when the head of the answer is there. */
export function sendUpstream({
  url,
  body,
  onSent,
  headers,
  ...options
}: UpstreamRequest): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? startHttps : startHttp
  return new Promise((resolve, reject) => {
    const request = start(url, { ...options, headers: { ...headers, 'content-length': body.length } })
    request.once('response', resolve)
    // Stays on: of a later break the answer's own stream tells as well, and nobody else listens here.
    request.on('error', reject)
    request.end(body, onSent)
  })
}

/** The plain bytes. A provider, or a proxy before it, may compress although it was asked not to. */
export function unpack(answer: IncomingMessage): Readable {
  const unpacker = createUnpacker(answer.headers['content-encoding'])
  // A break of either ends both; whoever reads is told.
  return unpacker ? pipeline(answer, unpacker, () => undefined) : answer
}

function createUnpacker(encoding: string | undefined): Transform | undefined {
  switch (encoding) {
    case 'gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    default:
      return undefined
  }
}

/** What there is of it, up to a limit; undefined beyond that. */
export async function collect(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('Only streams of bytes can be collected')
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

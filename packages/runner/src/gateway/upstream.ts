import {
  request as startHttp,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { request as startHttps } from 'node:https'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/** How long a provider may take. The programs themselves wait as long, or less. */
export interface UpstreamTimeouts {
  /** Until connected, including TLS. */
  readonly connectMs: number
  /** From then until the response starts. One that isn't streamed starts when it is complete. */
  readonly answerMs: number
  /** Between two chunks of the response. */
  readonly idleMs: number
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 15_000,
  answerMs: 600_000,
  idleMs: 300_000,
}

/** The provider took too long. It may still be working on the call and bill it. */
export class UpstreamTimeout extends Error {
  readonly code = 'ETIMEDOUT'
}

export interface UpstreamRequest {
  readonly url: URL
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  /** Called when the whole body was handed to the network. */
  readonly onSent: () => void
  /** Breaks the connection, before or after the response has started. */
  readonly signal: AbortSignal
  readonly timeouts: UpstreamTimeouts
}

/** Resolves with the response headers. */
export function sendUpstream({
  url,
  body,
  onSent,
  headers,
  timeouts,
  ...options
}: UpstreamRequest): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? startHttps : startHttp
  return new Promise((resolve, reject) => {
    const request = start(url, { ...options, headers: { ...headers, 'content-length': body.length } })
    limitWaiting(request, timeouts)
    request.once('response', resolve)
    // Not removed: a later error is also reported by the response's own stream, and must not be unhandled here.
    request.on('error', reject)
    request.end(body, onSent)
  })
}

function limitWaiting(request: ClientRequest, { connectMs, answerMs, idleMs }: UpstreamTimeouts): void {
  const giveUp = (): void => void request.destroy(new UpstreamTimeout('The provider took too long'))
  let timer = setTimeout(giveUp, connectMs)
  const awaitAnswer = (): void => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, answerMs)
  }
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', awaitAnswer)
    else awaitAnswer()
  })
  request.once('response', (answer) => {
    clearTimeout(timer)
    answer.setTimeout(idleMs, () => answer.destroy(new UpstreamTimeout('The provider stopped sending data')))
  })
  request.once('close', () => clearTimeout(timer))
}

/** The decompressed bytes. A provider, or a proxy in front of it, may compress although asked not to. */
export function unpack(answer: IncomingMessage): Readable {
  const unpacker = createUnpacker(answer.headers['content-encoding'])
  // An error of either stream ends both, and reaches the reader.
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

/** Collects the stream, up to a limit; undefined beyond that. */
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

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export interface S3Request {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

export const S3_KEYS = { id: 'AKIATEST', secret: 'se/cret+key' } as const

/**
 * Keeps objects in memory, checks every signature by the published rules of Signature Version 4, and takes the bucket
 * from the host's name when that begins with one.
 */
export class TestS3 {
  readonly requests: S3Request[] = []
  readonly nextStatus: number[] = []
  /** By bucket and key. */
  readonly objects = new Map<string, Buffer>()
  readonly buckets = new Set(['bucket'])
  /** How long each removal takes. */
  removalMs = 0
  /** Uploads wait for it. */
  uploads: Promise<void> | undefined
  readonly #server: Server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      if (request.method === 'DELETE') await pause(this.removalMs)
      if (request.method === 'PUT') await this.uploads
      const { status, content } = this.#answer(request, body)
      response.writeHead(status).end(content)
    })
  })

  get endpoint(): string {
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The server has no address')
    return `http://localhost:${address.port}`
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(0, 'localhost', resolve)
    })
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #answer(request: IncomingMessage, body: Buffer): { status: number; content: Buffer | string } {
    const { method = '', url = '', headers } = request
    const host = headers.host ?? ''
    this.requests.push({ method, host, path: url, headers })
    const status = this.nextStatus.shift()
    if (status !== undefined) return failure(status, 'AccessDenied')
    if (!isSigned(request, body)) return failure(403, 'SignatureDoesNotMatch')
    const [name = ''] = host.split('.')
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const place = host.includes('.localhost') ? `${name}${pathname}` : pathname.slice(1)
    if (!this.buckets.has(place.split('/')[0] ?? '')) return failure(404, 'NoSuchBucket')
    if (searchParams.get('list-type') === '2') return this.#list(place, searchParams)
    const found = this.objects.get(place)
    if (method === 'PUT') this.objects.set(place, body)
    if (method === 'DELETE') this.objects.delete(place)
    if (method !== 'GET') return { status: method === 'DELETE' ? 204 : 200, content: '' }
    return found ? { status: 200, content: found } : failure(404, 'NoSuchKey')
  }

  #list(bucket: string, asked: URLSearchParams): { status: number; content: string } {
    const prefix = `${bucket}/${asked.get('prefix') ?? ''}`
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted()
    const some = keys.slice(0, Number(asked.get('max-keys')))
    const content = some.map((key) => `<Contents><Key>${key.slice(bucket.length + 1)}</Key></Contents>`)
    const isCut = `<IsTruncated>${some.length < keys.length}</IsTruncated>`
    return { status: 200, content: `<ListBucketResult>${isCut}${content.join('')}</ListBucketResult>` }
  }
}

function failure(status: number, code: string): { status: number; content: string } {
  return { status, content: `<Error><Code>${code}</Code></Error>` }
}

function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, id, scope = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const hash = headers['x-amz-content-sha256']
  if (id !== S3_KEYS.id || signature === '') return false
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false
  const names = signed.split(';')
  if (!['host', 'x-amz-date'].every((name) => names.includes(name))) return false
  const { pathname, search } = new URL(url, 'http://localhost')
  const canonical = [
    method,
    pathname,
    search.slice(1).split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    hash,
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope
    .split('/')
    .reduce<Buffer | string>((above, part) => hmac(above, part), `AWS4${S3_KEYS.secret}`)
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex'))
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

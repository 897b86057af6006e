import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import type { BlobStore } from './blob-store.ts'

export interface S3Options {
  readonly endpoint: string
  readonly bucket: string
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const REQUEST_TIMEOUT_MS = 120_000

/** Any store that speaks S3, with the bucket in the path: not every one has names of its own for buckets. */
export class S3BlobStore implements BlobStore {
  readonly #base: string
  readonly #client: AwsClient

  constructor({ endpoint, bucket, prefix, region, accessKeyId, secretAccessKey }: S3Options) {
    const path = [bucket, ...prefix.split('/').filter(Boolean)].map(encodeURIComponent).join('/')
    this.#base = `${endpoint.replace(/\/+$/, '')}/${path}`
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 })
  }

  /** In memory, because S3 wants to know the length and the hash first. Contents are bounded by whoever puts them. */
  async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const bytes = content instanceof Uint8Array ? Buffer.from(content) : await collectBytes(content)
    const response = await this.#send(key, {
      method: 'PUT',
      body: bytes,
      headers: { 'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex') },
    })
    await finish(response, 'put')
  }

  async get(key: string): Promise<Readable | undefined> {
    const response = await this.#send(key, { method: 'GET' })
    if (response.status === 404) {
      await response.body?.cancel()
      return undefined
    }
    if (!response.ok || !response.body) return finish(response, 'get')
    return Readable.fromWeb(response.body)
  }

  async remove(key: string): Promise<void> {
    const response = await this.#send(key, { method: 'DELETE' })
    if (response.status === 404) await response.body?.cancel()
    else await finish(response, 'remove')
  }

  #send(key: string, init: RequestInit): Promise<Response> {
    const path = key.split('/').map(encodeURIComponent).join('/')
    return this.#client.fetch(`${this.#base}/${path}`, {
      ...init,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
  }
}

async function collectBytes(content: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function finish(response: Response, what: string): Promise<undefined> {
  const text = await response.text()
  if (response.ok) return undefined
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? 'no code'
  throw new Error(`The blob store did not ${what}: HTTP ${response.status}, ${code}`)
}

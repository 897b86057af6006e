import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { Gate } from '../gate.ts'
import { MAX_LISTED, type BlobStore } from './blob-store.ts'
import { hashKey, markPath, markPrefix } from './hash-key.ts'
import { findAwsCredentials, type AwsCredentials } from './aws-credentials.ts'
import type { S3Address } from './s3-address.ts'

const REQUEST_TIMEOUT_MS = 120_000
/** Content above this size is rare, and only so many at a time are in memory. */
const LARGE_BYTES = 8 * 1024 * 1024
const MAX_LARGE = 2

/** Hints by S3 error code. */
const HINTS: Readonly<Record<string, string>> = {
  AccessDenied:
    'the credentials need s3:GetObject, s3:PutObject and s3:DeleteObject for the prefix, and s3:ListBucket for the bucket',
  InvalidAccessKeyId: 'the store does not know the access key',
  SignatureDoesNotMatch: 'the secret key or the region is wrong',
  NoSuchBucket: 'the bucket does not exist',
  PermanentRedirect: 'the bucket is in another region: add ?region=',
  AuthorizationHeaderMalformed: 'the bucket is in another region: add ?region=',
}

/** Any S3-compatible store. */
export class S3BlobStore implements BlobStore {
  readonly #address: S3Address
  readonly #credentials: () => Promise<AwsCredentials>
  readonly #large = new Gate(MAX_LARGE)

  constructor(address: S3Address, credentials = findAwsCredentials()) {
    this.#address = address
    this.#credentials = credentials
  }

  /** In memory, because S3 needs the length and hash first. Callers bound the content. */
  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    let leave: (() => void) | undefined
    try {
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of content instanceof Uint8Array ? [content] : content) {
        chunks.push(chunk)
        size += chunk.length
        if (size > LARGE_BYTES) leave ??= await this.#large.enter()
      }
      await this.#put(hashKey(key), Buffer.concat(chunks), signal)
    } finally {
      leave?.()
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<Readable | undefined> {
    const response = await this.#send(this.#urlOf(hashKey(key)), { method: 'GET' }, signal)
    if (response.ok && response.body) return Readable.fromWeb(response.body)
    return finish(response, 'get')
  }

  async remove(key: string, signal?: AbortSignal): Promise<void> {
    await this.#remove(hashKey(key), signal)
  }

  async mark(group: string, name: string): Promise<void> {
    await this.#put(markPath(group, name), Buffer.alloc(0))
  }

  async unmark(group: string, name: string): Promise<void> {
    await this.#remove(markPath(group, name))
  }

  async listMarks(group: string): Promise<string[]> {
    const { bucket, prefix } = this.#address
    const url = new URL(bucket)
    url.searchParams.set('list-type', '2')
    url.searchParams.set('max-keys', String(MAX_LISTED))
    url.searchParams.set('prefix', `${prefix}${markPrefix(group)}`)
    const response = await this.#send(url.href, { method: 'GET' })
    if (!response.ok) throw await explain(response, 'list')
    const text = await response.text()
    return [...text.matchAll(/\.([A-Za-z0-9-]{1,64})<\/Key>/g)].flatMap(([, name]) => name ?? [])
  }

  async #put(path: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    const init = {
      method: 'PUT',
      body: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
      headers: { 'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex') },
    }
    const response = await this.#send(this.#urlOf(path), init, signal)
    await finish(response, 'put')
  }

  async #remove(path: string, signal?: AbortSignal): Promise<void> {
    await finish(await this.#send(this.#urlOf(path), { method: 'DELETE' }, signal), 'remove')
  }

  #urlOf(path: string): string {
    return `${this.#address.base}/${path}`
  }

  async #send(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const { region } = this.#address
    const client = new AwsClient({ ...(await this.#credentials()), region, service: 's3', retries: 3 })
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    return client.fetch(url, {
      ...init,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
  }
}

/** Reading or removing a missing object is not an error. */
async function finish(response: Response, what: 'put' | 'get' | 'remove'): Promise<undefined> {
  if (response.ok) {
    await response.text()
    return undefined
  }
  const error = await explain(response, what)
  if (response.status === 404 && what !== 'put' && !error.message.includes('NoSuchBucket')) return undefined
  throw error
}

async function explain(response: Response, what: 'put' | 'get' | 'remove' | 'list'): Promise<Error> {
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(await response.text())?.[1] ?? 'no code'
  const hint = HINTS[code] === undefined ? '' : ` (${HINTS[code]})`
  return new Error(`The blob store did not ${what}: HTTP ${response.status}, ${code}${hint}`)
}

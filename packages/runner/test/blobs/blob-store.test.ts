import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { openBlobStore } from '../../src/blobs/open-blob-store.ts'

let dir: string
let server: TestS3

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-blobs-'))
  server = new TestS3()
  await server.start()
})

afterEach(async () => {
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

const stores: readonly (readonly [string, () => BlobStore, number])[] = [
  ['a directory', () => openBlobStore(pathToFileURL(join(dir, 'some blobs')).href), 2],
  ['S3', () => openBlobStore(server.address), 0],
]

describe.each(stores)('%s', (_what, open, entries) => {
  const keys = ['plain', 'with/slash', 'ünï cödé?&#+*', '../../outside', 'x'.repeat(700)]

  test('gives back what was put, under any name, until it is removed', async () => {
    const store = open()
    for (const key of keys) {
      const content = Buffer.from(`content of ${key}\0\xFF`, 'latin1')
      expect(await store.get(key)).toBeUndefined()
      await store.put(key, content)
      expect(await read(store, key)).toEqual(content)
      await store.put(key, chunks('new ', 'content'))
      expect(String(await read(store, key))).toBe('new content')
      await store.remove(key)
      await store.remove(key)
      expect(await store.get(key)).toBeUndefined()
    }
    expect(await readdir(dir)).toHaveLength(entries === 0 ? 0 : 1)
  })

  test('keeps what it has when a new content breaks off', async () => {
    const store = open()
    await store.put('key', Buffer.from('old'))
    await expect(store.put('key', broken())).rejects.toThrow('broke off')
    expect(String(await read(store, 'key'))).toBe('old')
    const left = await readdir(join(dir, 'some blobs'), { recursive: true }).catch(() => [])
    expect(left).toHaveLength(entries)
  })
})

describe('S3', () => {
  test('requests are signed, and the secret is not in them', async () => {
    await openBlobStore(server.address).put('a b', Buffer.from('x'))
    const [request] = server.requests
    expect(request?.url).toBe('/bucket/some/prefix/a%20b')
    expect(request?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=KEY\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
    )
    expect(request?.headers['x-amz-content-sha256']).toBe(createHash('sha256').update('x').digest('hex'))
    expect(request?.headers['x-amz-date']).toMatch(/^\d{8}T\d{6}Z$/)
    expect(JSON.stringify([request?.url, request?.rawHeaders])).not.toContain('se/cret')
  })

  test('a refusal is told with its code, and trouble that passes is not noticed', async () => {
    const store = openBlobStore(server.address)
    server.nextStatus.push(503)
    await store.put('key', Buffer.from('x'))
    server.nextStatus.push(403)
    await expect(store.put('key', Buffer.from('y'))).rejects.toThrow('HTTP 403, AccessDenied')
    expect(String(await read(store, 'key'))).toBe('x')
  })
})

test.each(['ftp://host/x', 's3://host', 'nonsense'])(
  'the address %s is refused without being repeated',
  (address) => {
    expect(() => openBlobStore(address)).toThrow(/address of the blob store/)
  },
)

async function read(store: BlobStore, key: string): Promise<Buffer> {
  const stream = await store.get(key)
  if (!stream) throw new Error(`There is no ${key}`)
  return buffer(stream)
}

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('new')
  throw new Error('broke off')
}

/** Keeps objects in memory; does not check signatures. */
class TestS3 {
  readonly requests: IncomingMessage[] = []
  readonly nextStatus: number[] = []
  readonly #objects = new Map<string, Buffer>()
  readonly #server: Server = createServer((request, response) => {
    this.requests.push(request)
    void buffer(request).then((body) => {
      const status = this.nextStatus.shift()
      const url = request.url ?? ''
      const found = this.#objects.get(url)
      if (status !== undefined)
        return response.writeHead(status).end('<Error><Code>AccessDenied</Code></Error>')
      if (request.method === 'PUT') this.#objects.set(url, body)
      if (request.method === 'DELETE') this.#objects.delete(url)
      if (request.method !== 'GET') return response.end()
      return found
        ? response.end(found)
        : response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    })
  })

  get address(): string {
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The server has no address')
    return `s3+http://KEY:se%2Fcret@127.0.0.1:${address.port}/bucket/some/prefix?region=eu-central-1`
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { checkBlobStore as checkStore } from '../../src/blobs/check-blob-store.ts'
import { openBlobStore as openStore } from '../../src/blobs/open-blob-store.ts'
import { S3_KEYS, TestS3 } from '@skein/testkit'

const setting = 'SKEIN_BLOBS'
const openBlobStore = (address: string, env?: Readonly<NodeJS.ProcessEnv>) =>
  openStore({ setting, address }, env)
const checkBlobStore = (store: BlobStore) => checkStore(store, setting)

let dir: string
let server: TestS3

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-blobs-'))
  server = new TestS3()
  await server.start()
  vi.stubEnv('AWS_ACCESS_KEY_ID', S3_KEYS.id)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', S3_KEYS.secret)
  // Nothing of this machine may stand in for what a test leaves out.
  vi.stubEnv('HOME', dir)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

function openS3(): BlobStore {
  const endpoint = encodeURIComponent(server.endpoint)
  return openBlobStore(`s3://bucket/some/prefix?region=eu-central-1&endpoint=${endpoint}`, {})
}

const stores: readonly (readonly [string, () => BlobStore, number])[] = [
  ['a directory', () => openBlobStore(pathToFileURL(join(dir, 'some blobs')).href), 2],
  ['S3', () => openS3(), 0],
]

describe.each(stores)('%s', (_what, open, entries) => {
  const keys = ['plain', 'with/slash', 'ünï cödé?&#+*', '../../outside', 'x'.repeat(700)]

  test('returns what was stored, under any name, until it is removed', async () => {
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

  test('lists what was marked in a group, until it is unmarked', async () => {
    const store = open()
    expect(await store.listMarks('a/b')).toEqual([])
    await store.mark('a/b', 'one')
    await store.mark('a/b', 'two')
    await store.mark('a/b', 'two')
    await store.mark('a/bc', 'three')
    await store.mark('a', 'four')
    expect((await store.listMarks('a/b')).toSorted()).toEqual(['one', 'two'])
    await store.unmark('a/b', 'one')
    await store.unmark('a/b', 'one')
    expect(await store.listMarks('a/b')).toEqual(['two'])
    for (const name of ['', '..', 'a/b', 'x'.repeat(65)])
      await expect(store.mark('a/b', name)).rejects.toThrow('letters, digits')
  })

  test('is found usable, and nothing is left of the check', async () => {
    await checkBlobStore(open())
    expect([...server.objects.keys()]).toEqual([])
    const files = await readdir(dir, { recursive: true, withFileTypes: true })
    expect(files.filter((file) => file.isFile())).toEqual([])
  })
})

test('a directory lists at most a thousand marks, and the others once these are gone', async () => {
  const store = openBlobStore(pathToFileURL(dir).href)
  for (let count = 0; count < 1003; count += 1) await store.mark('many', `m-${count}`)
  const first = await store.listMarks('many')
  expect(new Set(first).size).toBe(1000)
  for (const name of first) await store.unmark('many', name)
  expect(await store.listMarks('many')).toHaveLength(3)
})

test('what a killed process left of a blob is removed with it', async () => {
  const store = openBlobStore(pathToFileURL(dir).href)
  await store.put('key', Buffer.from('x'))
  const path = (await readdir(dir, { recursive: true })).find((name) => name.includes('/')) ?? ''
  await writeFile(join(dir, `${path}.0b5e.new`), 'part of')
  await store.put('other', Buffer.from('y'))
  await store.remove('key')
  expect(String(await read(store, 'other'))).toBe('y')
  const left = await readdir(dir, { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile())).toHaveLength(1)
})

describe('S3', () => {
  test('no key names an object outside of the prefix', async () => {
    server.objects.set('bucket/outside', Buffer.from('theirs'))
    const store = openS3()
    for (const key of ['../../outside', '..%2F..%2Foutside', '/../../outside', '..\\..\\outside']) {
      expect(await store.get(key)).toBeUndefined()
      await store.remove(key)
      await store.put(key, Buffer.from('mine'))
    }
    expect(String(server.objects.get('bucket/outside'))).toBe('theirs')
    for (const { path } of server.requests)
      expect(path).toMatch(/^\/bucket\/some\/prefix\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/)
  })

  test('however many large contents are saved at once, two at a time are in memory', async () => {
    const store = openS3()
    const mebibyte = Buffer.alloc(1024 * 1024)
    let inMemory = 0
    let most = 0
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 9; count += 1) yield mebibyte
      // The store took more than what is free for all.
      inMemory += 1
      most = Math.max(most, inMemory)
      yield mebibyte
    }
    const save = async (name: string): Promise<void> => {
      await store.put(name, large())
      inMemory -= 1
    }
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(save))
    // The next one may go on a moment before the one that made room for it has returned.
    expect(most).toBeLessThanOrEqual(3)
    expect(server.objects.size).toBe(5)
  })

  test('a list is asked for below the prefix, with a limit, and a rejection is reported', async () => {
    const store = openS3()
    await store.listMarks('group')
    expect(server.requests[0]?.path).toMatch(
      /^\/bucket\?list-type=2&max-keys=1000&prefix=some%2Fprefix%2Fmarks%2F([0-9a-f]{2})%2F\1[0-9a-f]{62}\.$/,
    )
    server.nextStatus.push(403)
    await expect(store.listMarks('group')).rejects.toThrow(
      /did not list: HTTP 403, AccessDenied .*s3:ListBucket/,
    )
  })

  test('requests are signed, and the secret is not in them', async () => {
    await openS3().put('a b', Buffer.from('x'))
    const [request] = server.requests
    expect(request?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=/,
    )
    expect(request?.headers['x-amz-content-sha256']).toBe(createHash('sha256').update('x').digest('hex'))
    expect(JSON.stringify(request)).not.toContain(S3_KEYS.secret)
  })

  test('the token of temporary credentials is sent along', async () => {
    vi.stubEnv('AWS_SESSION_TOKEN', 'temporary')
    await openS3().put('key', Buffer.from('x'))
    expect(server.requests[0]?.headers['x-amz-security-token']).toBe('temporary')
  })

  test('a rejection is reported with its code, and temporary failures are not noticed', async () => {
    const store = openS3()
    server.nextStatus.push(503)
    await store.put('key', Buffer.from('x'))
    server.nextStatus.push(403)
    await expect(store.put('key', Buffer.from('y'))).rejects.toThrow('HTTP 403, AccessDenied')
    expect(String(await read(store, 'key'))).toBe('x')
  })

  test('a get can be given up, before an answer and while it arrives', async () => {
    const slow = createServer((_request, response) => {
      if (isAnswering) response.writeHead(200).write('a part')
    })
    let isAnswering = false
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as AddressInfo
    const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`)
    const store = openBlobStore(`s3://bucket?endpoint=${endpoint}`, {})
    try {
      await expect(store.get('key', AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' })
      isAnswering = true
      const stream = await store.get('key', AbortSignal.timeout(1000))
      await expect(stream && buffer(stream)).rejects.toMatchObject({ name: 'TimeoutError' })
    } finally {
      slow.closeAllConnections()
      slow.close()
    }
  })

  test('the check says what is wrong', async () => {
    const endpoint = encodeURIComponent(server.endpoint)
    const other = openBlobStore(`s3://another/x?endpoint=${endpoint}`, {})
    await expect(checkBlobStore(other)).rejects.toThrow(/cannot be used: .*NoSuchBucket/)
    server.nextStatus.push(403)
    await expect(checkBlobStore(openS3())).rejects.toThrow(/s3:GetObject, s3:PutObject and s3:DeleteObject/)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    await expect(checkBlobStore(openS3())).rejects.toThrow(
      /SignatureDoesNotMatch \(the secret key or the region is wrong/,
    )
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
    await expect(checkBlobStore(openS3())).rejects.toThrow(
      /No credentials were found\. Set AWS_ACCESS_KEY_ID/,
    )
    vi.stubEnv('AWS_ACCESS_KEY_ID', S3_KEYS.id)
    const closed = openS3()
    await server.stop()
    await expect(checkBlobStore(closed)).rejects.toThrow(/ECONNREFUSED/)
    const file = openBlobStore(pathToFileURL(join(dir, 'file', 'blobs')).href)
    await writeFile(join(dir, 'file'), '')
    await expect(checkBlobStore(file)).rejects.toMatchObject({ name: 'ConfigError' })
  })
})

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

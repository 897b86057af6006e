import { mkdtemp, open, readlink, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FileBlobStore } from '../../src/blobs/file-blob-store.ts'

const synced: string[] = []
let parent: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'skein-durable-'))
  const handle = await open(parent)
  const shared = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { sync } = shared
  vi.spyOn(shared, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push(await readlink(`/proc/self/fd/${this.fd}`))
    await sync.call(this)
  })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(parent, { recursive: true, force: true })
})

test('a power failure takes no folder away that was made for an object', async () => {
  const root = join(parent, 'some', 'blobs')
  const store = new FileBlobStore(`${root}/`)
  await store.put('first', Buffer.from('content'))
  const [file = '', folder = '', ...above] = synced.splice(0)
  expect(basename(file)).toMatch(/\.new$/)
  expect(folder).toBe(dirname(file))
  expect(above).toEqual([root, join(parent, 'some'), parent])
  await store.put('second', Buffer.from('content'))
  expect(synced.slice(1)).toEqual([expect.stringMatching(/blobs.[0-9a-f]{2}$/), root])
})

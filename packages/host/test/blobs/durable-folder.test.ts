import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FileBlobStore } from '../../src/blobs/file-blob-store.ts'

const synced: string[] = []

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const watched: typeof open = async (path, flags, mode) => {
    const handle = await original.open(path, flags, mode)
    const sync = handle.sync.bind(handle)
    handle.sync = () => {
      synced.push(String(path))
      return sync()
    }
    return handle
  }
  return { ...original, open: watched }
})

let parent: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'skein-durable-'))
})

afterEach(() => rm(parent, { recursive: true, force: true }))

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

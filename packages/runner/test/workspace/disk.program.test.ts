import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AgentFolder } from '../../src/workspace/agent-folder.ts'
import { evictOldest, measureDisk } from '../../src/workspace/disk.ts'

let root: string
const day = 86_400_000
const now = Date.UTC(2026, 0, 20)
const options = { maxBytes: 0, unsavedForMs: 7 * day, nowMs: now }

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skein-disk-'))
})

afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

async function addFolder(
  name: string,
  daysAgo: number,
  { isSaved = true, kibibytes = 512 } = {},
): Promise<void> {
  const folder = await AgentFolder.take(root, name, 0)
  if (!folder) throw new Error('The folder is in use')
  await mkdir(folder.workRoot)
  await writeFile(join(folder.workRoot, 'file'), Buffer.alloc(kibibytes * 1024, 'x'))
  await folder.changeRecord((record) => ({ ...record, isSaved }))
  await folder.markUsed(new Date(now - daysAgo * day))
  folder.release()
}

test('the longest unused go first, until the rest fits', async () => {
  await addFolder('young', 1)
  await addFolder('old', 3)
  await addFolder('older', 5)
  const { bytes, folders } = await measureDisk(root)
  expect(folders.map(({ name }) => name)).toEqual(['older', 'old', 'young'])
  expect(await evictOldest(root, { ...options, maxBytes: bytes })).toBe(0)
  expect(await evictOldest(root, { ...options, maxBytes: bytes - 1 })).toBeGreaterThanOrEqual(512 * 1024)
  expect((await readdir(root)).sort()).toEqual(['old', 'young'])
})

test('one that was not used for long goes even if there is room', async () => {
  await addFolder('young', 29)
  await addFolder('old', 31)
  await evictOldest(root, { ...options, maxBytes: Infinity, unusedForMs: 30 * day })
  expect(await readdir(root)).toEqual(['young'])
})

test('one in use stays, and so does one whose work is not saved, for a while', async () => {
  await addFolder('used', 9)
  await addFolder('unsaved', 6, { isSaved: false })
  await addFolder('forgotten', 8, { isSaved: false })
  const inUse = await AgentFolder.take(root, 'used', 0)
  await evictOldest(root, options)
  expect((await readdir(root)).sort()).toEqual(['unsaved', 'used'])
  inUse?.release()
  await evictOldest(root, options)
  expect(await readdir(root)).toEqual(['unsaved'])
})

test('links are removed and not followed, and what a killed removal left goes too', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'skein-outside-'))
  await writeFile(join(outside, 'precious'), 'x'.repeat(4_000_000))
  await addFolder('docs', 1)
  await symlink(outside, join(root, 'docs', 'work', 'out'))
  await mkdir(join(root, '.trash-1'))
  const deep = await AgentFolder.take(root, 'docs', 0)
  let dir = join(root, 'docs', 'work')
  for (let depth = 0; depth < 12; depth += 1) dir = join(dir, 'd'.repeat(250))
  await mkdir(dir, { recursive: true, mode: 0o000 })
  deep?.release()
  expect((await measureDisk(root)).bytes).toBeLessThan(2_000_000)
  await evictOldest(root, options)
  expect(await readdir(root)).toEqual([])
  expect(await readdir(outside)).toEqual(['precious'])
  await rm(outside, { recursive: true })
})

test('a folder that is removed while someone waits for it is created again', async () => {
  const first = await AgentFolder.take(root, 'docs', 0)
  await first?.changeRecord((record) => ({ ...record, isSetUp: true }))
  const waiting = AgentFolder.take(root, 'docs', 5_000)
  await first?.remove()
  const second = await waiting
  expect(second?.record).toEqual({ isSetUp: false, isSaved: true, repos: {} })
  expect(await AgentFolder.take(root, 'docs', 0)).toBeUndefined()
  second?.release()
})

import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { measureFewFiles, measureFolders } from '../../src/sandbox/limits/measure-folders.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-measure-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('few files are measured as many are: with folders, each file once, and links not followed', async () => {
  const folders = [join(dir, 'work'), join(dir, 'state')]
  for (const folder of folders) await mkdir(join(folder, 'deep/er'), { recursive: true })
  await writeFile(join(dir, 'work/deep/er/large'), Buffer.alloc(300_000, 1))
  await link(join(dir, 'work/deep/er/large'), join(dir, 'state/again'))
  await writeFile(join(dir, 'outside'), Buffer.alloc(5_000_000, 1))
  await symlink(join(dir, 'outside'), join(dir, 'state/file'))
  await symlink('/usr', join(dir, 'state/folder'))
  const few = await measureFewFiles(folders)
  expect(few).toEqual(await measureFolders(folders))
  expect(few?.bytes).toBeGreaterThan(300_000)
  expect(few?.bytes).toBeLessThan(600_000)
})

test('many files, and folders that are missing or links, are left to the other', async () => {
  await mkdir(join(dir, 'many'))
  for (let index = 0; index < 100; index += 1) await writeFile(join(dir, 'many', String(index)), '')
  await symlink('/usr/share', join(dir, 'link'))
  expect(await measureFewFiles([join(dir, 'many')])).toBeUndefined()
  expect(await measureFewFiles([join(dir, 'missing')])).toBeUndefined()
  expect(await measureFewFiles([join(dir, 'link')])).toBeUndefined()
})

test('many names of one file are left to the other too', async () => {
  const work = join(dir, 'work')
  await mkdir(work)
  await writeFile(join(work, 'file'), '')
  for (let index = 0; index < 100; index += 1) await link(join(work, 'file'), join(work, String(index)))
  expect(await measureFewFiles([work])).toBeUndefined()
  expect((await measureFolders([work])).isWhole).toBe(true)
})

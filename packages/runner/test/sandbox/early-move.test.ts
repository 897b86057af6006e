import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { EarlyMove } from '../../src/sandbox/limits/early-move.ts'

async function makePlace() {
  const dir = await mkdtemp(join(tmpdir(), 'skein-early-move-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return { dir, limits: ['processes'], isUnified: false } as const
}

test('a helper that is in a group already is moved there again, and ends with the last', async () => {
  const place = await makePlace()
  const earlyMove = new EarlyMove([place])
  earlyMove.prepare()
  earlyMove.prepare()
  await earlyMove.make()
  const [group = '', ...others] = await readdir(place.dir)
  expect(others).toEqual([])
  const members = join(place.dir, group, 'cgroup.procs')
  const helper = await readFile(members, 'utf8')
  expect(isAlive(Number(helper))).toBe(true)

  await writeFile(members, '')
  await earlyMove.make()
  expect(await readFile(members, 'utf8')).toBe(helper)

  await earlyMove.close()
  expect(isAlive(Number(helper))).toBe(false)
})

test('once its helper has ended, nothing is moved: its pid may be another process’s', async () => {
  const place = await makePlace()
  const earlyMove = new EarlyMove([place])
  onTestFinished(() => earlyMove.close())
  earlyMove.prepare()
  await earlyMove.make()
  const [group = ''] = await readdir(place.dir)
  const members = join(place.dir, group, 'cgroup.procs')
  const helper = Number(await readFile(members, 'utf8'))
  process.kill(helper, 'SIGKILL')
  await waitFor(() => !isAlive(helper), { what: 'the end of the helper' })
  await writeFile(members, '')
  await earlyMove.make()
  expect(await readFile(members, 'utf8')).toBe('')
})

test('without cgroups it does nothing', async () => {
  const earlyMove = new EarlyMove([])
  onTestFinished(() => earlyMove.close())
  earlyMove.prepare()
  await expect(earlyMove.make()).resolves.toBeUndefined()
})

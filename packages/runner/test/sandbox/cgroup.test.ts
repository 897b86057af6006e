import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCgroupPlaces } from '../../src/sandbox/cgroup-places.ts'
import { createCgroup } from '../../src/sandbox/cgroup.ts'

const limits = { processes: 77, fileSizeMib: 1, memoryMib: 64 }
/** More than any process id can be. */
const nobody = 2 ** 30
const unifiedMount = '30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate'
const unified = { limits: ['processes', 'memory'], isUnified: true }

test('a service with a subgroup of its own uses the subtree that was delegated to it', () => {
  const membership = '0::/system.slice/skein.service/runner\n'
  const dir = '/sys/fs/cgroup/system.slice/skein.service'
  expect(findCgroupPlaces({ membership, mounts: unifiedMount, isRoot: false })).toEqual([
    { dir: `${dir}/runner`, ...unified },
    { dir, ...unified },
  ])
})

test('root never makes groups beside its own, which may be those of the system', () => {
  const membership = '0::/system.slice/skein.service\n'
  expect(findCgroupPlaces({ membership, mounts: unifiedMount, isRoot: true })).toEqual([
    { dir: '/sys/fs/cgroup/system.slice/skein.service', ...unified },
  ])
})

test('a container that sees only its part of the tree finds its place in it', () => {
  const mounts = '30 25 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw'
  expect(findCgroupPlaces({ membership: '0::/docker/abc\n', mounts, isRoot: true })).toEqual([
    { dir: '/sys/fs/cgroup', ...unified },
  ])
})

test('version 1 limits the number of processes', () => {
  const membership = '8:pids:/\n4:memory:/some\n'
  const mounts = [
    '31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '32 25 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
  ].join('\n')
  expect(findCgroupPlaces({ membership, mounts, isRoot: true })).toEqual([
    { dir: '/sys/fs/cgroup/pids', limits: ['processes'], isUnified: false },
  ])
})

test('no cgroup file system means no place', () => {
  expect(findCgroupPlaces({ membership: '', mounts: '', isRoot: false })).toEqual([])
  expect(findCgroupPlaces({ membership: '0::/../other\n', mounts: unifiedMount, isRoot: false })).toEqual([])
})

test('both limits are set in a group of version 2, without swap', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-cgroup-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const cgroup = await createCgroup('box', limits, [
    { dir, limits: ['processes', 'memory'], isUnified: true },
  ])
  const read = (file: string) => readFile(join(dir, 'box', file), 'utf8')
  expect([...cgroup.holds]).toEqual(['processes', 'memory'])
  expect(await read('pids.max')).toBe('77')
  expect(await read('memory.max')).toBe(String(64 * 1024 * 1024))
  expect(await read('memory.swap.max')).toBe('0')
  cgroup.admit(nobody)
  expect(await read('cgroup.procs')).toBe(String(nobody))
})

test('where no group can be made nothing is held, and nothing is in the way', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-cgroup-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'taken'))
  await writeFile(join(dir, 'file'), '')
  const places = ['taken/..', 'file', 'missing'].map((name) => join(dir, name))
  const cgroup = await createCgroup(
    'taken',
    limits,
    places.map((place) => ({ dir: place, limits: ['memory'], isUnified: false })),
  )
  expect([...cgroup.holds]).toEqual([])
  expect(cgroup.admit(nobody)).toBe(true)
  await cgroup.remove()
  expect(await readdir(dir)).toEqual(['file', 'taken'])
})

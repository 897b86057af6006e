import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCgroupPlaces } from '../../src/sandbox/limits/cgroup-places.ts'
import { createCgroup } from '../../src/sandbox/limits/cgroup.ts'

const limits = { cpus: 1.5, memoryMib: 64, processes: 77 }
const pid = 4242
/** More than any process id can be. */
const nobody = 2 ** 30
const unifiedMount = '30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate'
const unified = { limits: ['cpus', 'memoryMib', 'processes'], isUnified: true } as const

test('a service with a subgroup of its own uses the subtree that was delegated to it', () => {
  const membership = '0::/system.slice/skein.service/runner\n'
  const dir = '/sys/fs/cgroup/system.slice/skein.service'
  expect(findCgroupPlaces({ membership, mounts: unifiedMount, isRoot: false, pid })).toEqual([
    { dir: `${dir}/runner`, ...unified },
    { dir, ...unified },
  ])
})

test('root never creates cgroups next to its own, which may be the system’s', () => {
  const membership = '0::/system.slice/skein.service\n'
  expect(findCgroupPlaces({ membership, mounts: unifiedMount, isRoot: true, pid })).toEqual([
    { dir: '/sys/fs/cgroup/system.slice/skein.service', ...unified },
  ])
})

test('a container that sees only its part of the tree finds its place in it', () => {
  const mounts = '30 25 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw'
  expect(findCgroupPlaces({ membership: '0::/docker/abc\n', mounts, isRoot: true, pid })).toEqual([
    { dir: '/sys/fs/cgroup', ...unified },
  ])
})

/** What root has left to the runner there, or else the own group. */
const version1 = (dir: string, limit: string) => [
  { dir: `${dir}/skein-runner-4242`, limits: [limit], isUnified: false },
  { dir, limits: [limit], isUnified: false },
]

test('version 1 has a place for each limit: what root has left to the runner, or else the own group', () => {
  const membership = '8:pids:/\n5:devices:/\n4:memory:/some\n1:cpu,cpuacct:/\n'
  const mounts = [
    '31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '32 25 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
    '33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  ].join('\n')
  expect(findCgroupPlaces({ membership, mounts, isRoot: false, pid })).toEqual([
    ...version1('/sys/fs/cgroup/pids', 'processes'),
    ...version1('/sys/fs/cgroup/memory/some', 'memoryMib'),
    ...version1('/sys/fs/cgroup/cpu,cpuacct', 'cpus'),
  ])
})

test('no cgroup file system means no place', () => {
  expect(findCgroupPlaces({ membership: '', mounts: '', isRoot: false, pid })).toEqual([])
  expect(
    findCgroupPlaces({ membership: '0::/../other\n', mounts: unifiedMount, isRoot: false, pid }),
  ).toEqual([])
})

const bytes = String(64 * 1024 * 1024)
const versions = [
  [
    'version 2',
    true,
    { 'pids.max': '77', 'memory.max': bytes, 'memory.swap.max': '0', 'cpu.max': '150000 100000' },
  ],
  [
    'version 1',
    false,
    {
      'pids.max': '77',
      'memory.limit_in_bytes': bytes,
      'memory.memsw.limit_in_bytes': bytes,
      'cpu.cfs_period_us': '100000',
      'cpu.cfs_quota_us': '150000',
    },
  ],
] as const

test.each(versions)('all limits are set in a group of %s, without swap', async (_name, isUnified, files) => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-cgroup-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const cgroup = await createCgroup('box', limits, [{ ...unified, dir, isUnified }])
  const read = (file: string) => readFile(join(dir, 'box', file), 'utf8')
  expect([...cgroup.holds]).toEqual(['cpus', 'memoryMib', 'processes'])
  for (const [file, value] of Object.entries(files)) expect(await read(file)).toBe(value)
  cgroup.admit(nobody)
  expect(await read('cgroup.procs')).toBe(String(nobody))
})

test('what has no limit is not limited', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-cgroup-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const cgroup = await createCgroup('box', { cpus: 0, memoryMib: 64, processes: 0 }, [{ ...unified, dir }])
  expect([...cgroup.holds]).toEqual(['memoryMib'])
  expect(await readdir(join(dir, 'box'))).toEqual(['cgroup.procs', 'memory.max', 'memory.swap.max'])
})

test('if no cgroup can be created, nothing is enforced and nothing breaks', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-cgroup-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'taken'))
  await writeFile(join(dir, 'file'), '')
  const places = ['taken/..', 'file', 'missing'].map((name) => join(dir, name))
  const cgroup = await createCgroup(
    'taken',
    limits,
    places.map((place) => ({ dir: place, limits: ['memoryMib'], isUnified: false })),
  )
  expect([...cgroup.holds]).toEqual([])
  expect(cgroup.admit(nobody)).toBe(true)
  await cgroup.remove()
  expect(await readdir(dir)).toEqual(['file', 'taken'])
})

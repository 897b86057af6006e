import { lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { placeSettings } from '../../src/backends/claude/settings-file.ts'
import type { SandboxSpec } from '../../src/sandbox/sandbox.ts'
import { unlimited } from '../limits.ts'

let dir: string
let spec: SandboxSpec

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-claude-'))
  spec = {
    id: 'any',
    workDir: join(dir, 'work'),
    stateDir: join(dir, 'state'),
    readOnlyPaths: [],
    network: 'none',
    front: { port: 1, serve: () => undefined },
    limits: unlimited,
  }
  await mkdir(join(dir, 'state', 'claude'), { recursive: true })
})

afterEach(() => rm(dir, { recursive: true, force: true }))

test('settings are in memory at each start, whatever an agent has left in their place', async () => {
  const settings = join(spec.stateDir, 'claude', '.claude.json')
  await mkdir(settings)
  for (const _start of [1, 2]) {
    await placeSettings({ spec, memoryDir: '/dev/shm' })
    expect(await readlink(settings)).toBe('/dev/shm/claude.json')
  }
})

test('settings are never put where an agent’s link leads', async () => {
  await rm(join(spec.stateDir, 'claude'), { recursive: true })
  await mkdir(join(dir, 'host'))
  await writeFile(join(dir, 'host', '.claude.json'), 'the host’s')
  await symlink(join(dir, 'host'), join(spec.stateDir, 'claude'))
  await placeSettings({ spec, memoryDir: '/dev/shm' })
  expect(await readdir(join(dir, 'host'))).toEqual(['.claude.json'])
  expect((await lstat(join(dir, 'host', '.claude.json'))).isFile()).toBe(true)
})

test('settings stay on disk in a sandbox without a folder in memory', async () => {
  await placeSettings({ spec })
  expect(await readdir(join(spec.stateDir, 'claude'))).toEqual([])
})

test('a link into memory is gone when the agent is in a sandbox without: it would lead to the host’s', async () => {
  await placeSettings({ spec, memoryDir: '/dev/shm' })
  await placeSettings({ spec })
  expect(await readdir(join(spec.stateDir, 'claude'))).toEqual([])
  const settings = join(spec.stateDir, 'claude', '.claude.json')
  await writeFile(settings, '{}')
  await placeSettings({ spec })
  expect((await lstat(settings)).isFile()).toBe(true)
})

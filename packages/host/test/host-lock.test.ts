import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostLocks, tryLock, waitForLock } from '../src/index.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-host-'))
  path = join(folder, 'the.lock')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('the lock of a killed holder is free immediately', async () => {
  const script = `import { DatabaseSync } from 'node:sqlite'
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => database.isOpen, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'close')
  await once(holder.stdout, 'data')
  expect(tryLock(path)).toBeUndefined()
  expect(await waitForLock(path, 100)).toBeUndefined()
  expect(await new HostLocks().acquire(path, 100)).toBeUndefined()
  const waiting = new HostLocks().acquire(path, 60_000)
  holder.kill('SIGKILL')
  const held = await waiting
  expect(held).toBeDefined()
  expect(tryLock(path)).toBeUndefined()
  held?.release()
  tryLock(path)?.release()
  await ended
})

test('locks are granted in request order, and a waiter that gives up does not hold up the others', async () => {
  const locks = new HostLocks()
  const first = await locks.acquire(path, 60_000)
  const order: string[] = []
  const second = locks.acquire(path, 20).then((held) => order.push(held ? 'second' : 'gave up'))
  const third = locks.acquire(path, 60_000).then((held) => {
    order.push('third')
    held?.release()
  })
  const fourth = locks.acquire(path, 60_000).then((held) => {
    order.push('fourth')
    held?.release()
  })
  await second
  first?.release()
  await Promise.all([third, fourth])
  expect(order).toEqual(['gave up', 'third', 'fourth'])
})

test('a lock that cannot be created is an error, not a lock that someone holds', () => {
  expect(() => tryLock(join(folder, 'missing', 'the.lock'))).toThrow('unable to open database file')
})

import type { PoolEntry, RunnerEntry } from '@skein/client'
import { expect, test } from 'vitest'
import { toPoolRows } from '../src/pages/runners/pool-rows.ts'

const pool = (name: string, queued: number): PoolEntry => ({
  name,
  queued,
  queuedSince: '',
  delayed: 0,
  running: 0,
})
const runner = (pools: string[], capacity: number, isOnline = true) =>
  ({ pools, capacity, isOnline }) as unknown as RunnerEntry

test('a pool has the slots of those runners that are online, and is stuck when work waits for none', () => {
  const runners = [runner(['default', 'lab'], 4), runner(['default'], 2), runner(['gpu'], 8, false)]
  const rows = toPoolRows([pool('default', 9), pool('gpu', 1), pool('idle', 0)], runners)
  expect(rows).toMatchObject([
    { name: 'default', online: 2, slots: 6, isStuck: false },
    { name: 'gpu', online: 0, slots: 0, isStuck: true },
    { name: 'idle', online: 0, slots: 0, isStuck: false },
  ])
})

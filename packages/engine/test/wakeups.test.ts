import { NotificationBus } from '@skein/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Wakeups } from '../src/wakeups.ts'

const sent: string[] = []
let wakeups: Wakeups

beforeEach(() => {
  vi.useFakeTimers()
  sent.length = 0
  const pool = {
    query: (statement: { values: string[] }) => Promise.resolve(void sent.push(statement.values[1] ?? '')),
  }
  const bus = new NotificationBus('', (send) => send(pool as never))
  wakeups = new Wakeups(bus, () => Promise.resolve([]))
})

afterEach(() => {
  vi.useRealTimers()
})

test('the first change after a pause is sent at once, with all others of that moment', async () => {
  wakeups.publishAudit('acme')
  wakeups.publishAudit('other')
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toEqual(['u:acme u:other'])
})

test('changes soon after it are sent together, 15 ms later', async () => {
  wakeups.publishAudit('first')
  await vi.advanceTimersByTimeAsync(1)
  for (const tenant of ['a', 'b', 'a']) {
    wakeups.publishAudit(tenant)
    await vi.advanceTimersByTimeAsync(4)
  }
  expect(sent).toEqual(['u:first'])
  await vi.advanceTimersByTimeAsync(4)
  expect(sent).toEqual(['u:first', 'u:a u:b'])
})

test('a busy server sends once in 15 ms, and leaves nothing unsent', async () => {
  for (let change = 0; change < 1_000; change++) {
    wakeups.publishAudit(`tenant-${change}`)
    await vi.advanceTimersByTimeAsync(1)
  }
  await vi.advanceTimersByTimeAsync(15)
  expect(sent.length).toBeLessThanOrEqual(1_000 / 15 + 2)
  expect(sent.flatMap((keys) => keys.split(' '))).toHaveLength(1_000)
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyedMutex } from '../src/commands/keyed-mutex.ts'

test('one at a time goes through for a key, in order, and a failure holds nobody up', async () => {
  const mutex = new KeyedMutex({ maxWaitMs: 5_000, maxWaiting: 100 })
  const seen: string[] = []
  let inside = 0
  const work = (name: string) => async () => {
    inside += 1
    expect(inside).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    seen.push(name)
    if (name === 'b') throw new Error(name)
    return name
  }
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => mutex.take('key', work(name))))
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('keys do not wait for each other', async () => {
  const mutex = new KeyedMutex({ maxWaitMs: 5_000, maxWaiting: 100 })
  const slow = mutex.take('slow', () => new Promise<void>((resolve) => void setTimeout(resolve, 50)))
  const order: string[] = []
  await Promise.all([
    slow.then(() => order.push('slow')),
    mutex.take('fast', async () => void order.push('fast')),
  ])
  expect(order).toEqual(['fast', 'slow'])
})

test('urgent requests go before all others that wait', async () => {
  const mutex = new KeyedMutex({ maxWaitMs: 5_000, maxWaiting: 100 })
  const order: string[] = []
  const work = (name: string) => async () => void order.push(name)
  await Promise.all([
    mutex.take('key', work('first')),
    mutex.take('key', work('second')),
    mutex.take('key', work('urgent'), { isUrgent: true }),
  ])
  expect(order).toEqual(['first', 'urgent', 'second'])
})

test('a caller that arrives when too many wait is refused immediately, unless it is urgent', async () => {
  const mutex = new KeyedMutex({ maxWaitMs: 5_000, maxWaiting: 2 })
  const gate = Promise.withResolvers<void>()
  const first = mutex.take('key', () => gate.promise)
  const waiting = [1, 2].map((number) => mutex.take('key', async () => number))
  await expect(mutex.take('key', async () => 3)).rejects.toMatchObject({
    reason: 'TREE_BUSY',
    retryDelayMs: 2_000,
  })
  const urgent = mutex.take('key', async () => 4, { isUrgent: true })
  gate.resolve()
  expect(await Promise.all([first, ...waiting, urgent])).toEqual([undefined, 1, 2, 4])
})

test('a caller that waited too long is refused and never runs, and those behind it proceed', async () => {
  const mutex = new KeyedMutex({ maxWaitMs: 20, maxWaiting: 2 })
  const gate = Promise.withResolvers<void>()
  const first = mutex.take('key', () => gate.promise)
  let hasWorked = false
  await expect(mutex.take('key', async () => (hasWorked = true))).rejects.toMatchObject({
    reason: 'TREE_BUSY',
  })
  const next = mutex.take('key', async () => 'next')
  gate.resolve()
  await first
  expect(await next).toBe('next')
  expect(hasWorked).toBe(false)
  expect(await mutex.take('key', async () => 'free')).toBe('free')
})

test('whatever arrives and fails, each gets its turn once, never at the same time as another of its key', async () => {
  const visit = fc.record({ key: fc.constantFrom('a', 'b'), isUrgent: fc.boolean(), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { maxLength: 30 }), async (visits) => {
      const mutex = new KeyedMutex({ maxWaitMs: 5_000, maxWaiting: 100 })
      const inside = { a: 0, b: 0 }
      let worked = 0
      const outcomes = await Promise.allSettled(
        visits.map(({ key, isUrgent, fails }) =>
          mutex.take(
            key,
            async () => {
              inside[key] += 1
              expect(inside[key]).toBe(1)
              await new Promise((resolve) => setImmediate(resolve))
              inside[key] -= 1
              worked += 1
              if (fails) throw new Error('as asked')
            },
            { isUrgent },
          ),
        ),
      )
      expect(worked).toBe(visits.length)
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(visits.map(({ fails }) => fails))
    }),
  )
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../src/schemas/fair-queue.ts'

test('a tenant waits for at most one piece of work of each other tenant', () => {
  const tenants = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 })
  fc.assert(
    fc.property(tenants, fc.constantFrom('a', 'b', 'c', 'd'), (before, tenant) => {
      const queue = new FairQueue<string>({ perTenant: 100, total: 100 })
      for (const other of before) if (other !== tenant) queue.add(other, other)
      queue.add(tenant, tenant)
      const taken = Array.from({ length: 4 }, () => queue.takeNext())
      expect(taken).toContain(tenant)
    }),
  )
})

test('everything that is added is taken once, each tenant’s in its order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean())), (steps) => {
      const queue = new FairQueue<readonly [string, number]>({ perTenant: 1_000, total: 1_000 })
      const taken: (readonly [string, number])[] = []
      const take = () => {
        const next = queue.takeNext()
        if (next) taken.push(next)
        return next
      }
      for (const [index, [tenant, takes]] of steps.entries()) {
        queue.add(tenant, [tenant, index])
        if (takes) take()
      }
      while (take());
      for (const tenant of ['a', 'b', 'c']) {
        const own = taken.filter(([owner]) => owner === tenant).map(([, index]) => index)
        const added = [...steps.entries()].filter(([, [owner]]) => owner === tenant).map(([index]) => index)
        expect(own).toEqual(added)
      }
    }),
  )
})

test('is full for a tenant with its share, and for all with the total', () => {
  const queue = new FairQueue<number>({ perTenant: 2, total: 3 })
  queue.add('a', 1)
  expect(queue.isFullFor('a')).toBe(false)
  queue.add('a', 2)
  expect([queue.isFullFor('a'), queue.isFullFor('b'), queue.isFull]).toEqual([true, false, false])
  queue.add('b', 3)
  expect(queue.isFull).toBe(true)
  queue.takeNext()
  expect([queue.isFullFor('a'), queue.isFull]).toEqual([false, false])
})

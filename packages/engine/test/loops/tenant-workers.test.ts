import { expect, test } from 'vitest'
import { TenantWorkers } from '../../src/loops/tenant-workers.ts'

test('the end of work says whether more of the tenant may have been waiting for room', async () => {
  const workers = new TenantWorkers(3, 2)
  const ends: string[] = []
  const begin = (tenantId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    workers.add(tenantId, promise, (wasFull) => ends.push(`${tenantId} ${wasFull ? 'was full' : 'had room'}`))
    return async () => {
      resolve()
      await expect.poll(() => ends.length).toBeGreaterThan(0)
      return ends.shift()
    }
  }
  const [first, second] = [begin('a'), begin('a')]
  expect(workers.busyTenants).toEqual(['a'])
  expect(await first()).toBe('a was full')
  expect(workers.busyTenants).toEqual([])
  expect(await second()).toBe('a had room')
  const [third, fourth] = [begin('a'), begin('b')]
  begin('c')
  expect(workers.room).toBe(0)
  expect(await third()).toBe('a was full')
  expect(await fourth()).toBe('b had room')
})

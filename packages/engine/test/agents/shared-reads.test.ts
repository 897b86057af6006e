import { expect, test } from 'vitest'
import { SharedReads } from '../../src/index.ts'

test('concurrent callers share one read; those that arrive during it share the next', async () => {
  const reads = new SharedReads<number>()
  const gates: PromiseWithResolvers<void>[] = []
  const read = async () => {
    const gate = Promise.withResolvers<void>()
    const count = gates.push(gate)
    await gate.promise
    return count
  }
  const ask = () => reads.read('list', read)
  const first = Promise.all(Array.from({ length: 100 }, ask))
  await expect.poll(() => gates.length).toBe(1)
  const second = Promise.all(Array.from({ length: 100 }, ask))
  gates[0]?.resolve()
  expect(new Set(await first)).toEqual(new Set([1]))
  await expect.poll(() => gates.length).toBe(2)
  gates[1]?.resolve()
  expect(new Set(await second)).toEqual(new Set([2]))
  expect(gates).toHaveLength(2)
})

test('a failed read fails for everyone who shared it, and the next one starts over', async () => {
  const reads = new SharedReads<string>()
  const failed = reads.read('list', () => Promise.reject(new Error('away')))
  const alsoFailed = reads.read('list', () => Promise.resolve('unused'))
  await expect(failed).rejects.toThrow('away')
  await expect(alsoFailed).rejects.toThrow('away')
  expect(await reads.read('list', () => Promise.resolve('there'))).toBe('there')
})

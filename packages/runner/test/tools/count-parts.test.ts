import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { countParts, countPartsAround } from '../../src/tools/count-parts.ts'

const LIMITS = { maxParts: 10_000, maxDepth: 100 }
const count = (json: string, limits = LIMITS) => countParts(Buffer.from(json), limits)

function countAll(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + countAll(inner), 0)
}

test('keys and list items are counted, and what looks like them in texts is not', () => {
  expect(count('{"a":[1,2,3],"b":{"c":"d"}}')).toBe(6)
  expect(count('"[{,,,]"')).toBe(0)
  expect(count(String.raw`{"\",\"":"\\","[":"\\\""}`)).toBe(2)
})

test('no JSON has more parts than counted, and only empty containers count in addition', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json)
      // A repeated key counts each time.
      expect(count(json)).toBeGreaterThanOrEqual(countAll(value))
      expect(count(JSON.stringify(value))).toBe(countAll(value) + countEmpty(value))
    }),
  )
})

function countEmpty(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: unknown[] = Object.values(value)
  return inner.length === 0 ? 1 : inner.reduce((sum: number, each) => sum + countEmpty(each), 0)
}

test('too many parts and too deep nesting are noticed, also in what is not JSON', () => {
  expect(count('[1,2,3]', { maxParts: 3, maxDepth: 1 })).toBe(3)
  expect(count('[1,2,3]', { maxParts: 2, maxDepth: 1 })).toBeUndefined()
  expect(count('[[1]]', { maxParts: 3, maxDepth: 1 })).toBeUndefined()
  expect(count(','.repeat(20_000))).toBeUndefined()
  expect(count('['.repeat(101))).toBeUndefined()
  expect(count('"never closed')).toBe(0)
  expect(count('"\\')).toBe(0)
})

test('around a call’s arguments everything counts, and of these only their names', () => {
  const input = { a: { deep: [1, 2, 3] }, b: 'text' }
  expect(countPartsAround({ method: 'x', params: { name: 'tool', arguments: input } })).toBe(3 + 2)
  expect(countPartsAround({ params: { arguments: [1, [2]], _meta: { a: 1 } } })).toBe(3 + 3)
  expect(countPartsAround({ params: [1, 2], arguments: input })).toBe(4 + 6)
  expect(countPartsAround('text')).toBe(0)
  expect(countPartsAround(null)).toBe(0)
})

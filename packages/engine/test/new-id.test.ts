import { validate, version } from 'uuid'
import { expect, test } from 'vitest'
import { newId } from '../src/new-id.ts'

test('each id is a UUID of version 7 that is greater than all before, and begins with the time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 10_000 }, newId)
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  const began = Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16)
  expect(began).toBeGreaterThanOrEqual(before)
  expect(began).toBeLessThanOrEqual(Date.now())
})

test('no two ids have the same random end', () => {
  const ends = Array.from({ length: 1_000 }, () => newId().slice(-10))
  expect(new Set(ends).size).toBe(ends.length)
})

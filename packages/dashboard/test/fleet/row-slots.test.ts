import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RowSlots } from '../../src/pages/fleet/grid/row-slots.ts'

test('rows that all went away leave their elements to those that came, in the same order', () => {
  const slots = new RowSlots()
  const before = slots.assign(['a', 'b', 'c'], undefined)
  expect(slots.assign(['x', 'y', 'z'], undefined)).toEqual(before)
})

test('rows that stay keep their elements, and others get new ones: nothing has to move', () => {
  const slots = new RowSlots()
  const [, b, c] = slots.assign(['a', 'b', 'c'], undefined)
  const [first, second, third] = slots.assign(['b', 'c', 'd'], undefined)
  expect([first, second]).toEqual([b, c])
  expect(third).toBeGreaterThan(Number(c))
})

test('the element of the row that has the focus is left to none', () => {
  const slots = new RowSlots()
  const [a, b, c] = slots.assign(['a', 'b', 'c'], undefined)
  const [x, y, z] = slots.assign(['x', 'y', 'z'], 'b')
  expect([x, y]).toEqual([a, c])
  expect([a, b, c]).not.toContain(z)
})

test('no two rows share an element, and asking twice changes nothing', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
  const sight = fc.record({
    keys: fc.uniqueArray(key),
    focused: fc.option(key, { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(sight), (sights) => {
      const slots = new RowSlots()
      for (const { keys, focused } of sights) {
        const assigned = slots.assign(keys, focused)
        expect(new Set(assigned).size).toBe(keys.length)
        expect(slots.assign(keys, focused)).toEqual(assigned)
      }
    }),
  )
})

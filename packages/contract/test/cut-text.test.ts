import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText } from '../src/index.ts'

test('a text that is cut is a beginning of it, no longer than asked, at most one unit shorter, and whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, length) => {
      const cut = cutText(text, length)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(length)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1)
      expect(cut.isWellFormed()).toBe(true)
    }),
  )
})

test('a character that takes two units is kept or left out as a whole', () => {
  expect([cutText('a😀b', 1), cutText('a😀b', 2), cutText('a😀b', 3)]).toEqual(['a', 'a', 'a😀'])
})

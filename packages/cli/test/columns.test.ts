import { expect, test } from 'vitest'
import { shorten } from '../src/output/clean-text.ts'
import { mark, widthOf } from '../src/output/colors.ts'
import { formatTable } from '../src/output/table.ts'

test('columns stay in line whatever is written in them', () => {
  const table = formatTable([
    ['日本語', 'first'],
    ['👩‍👩‍👧 🇩🇪', 'second'],
    ['e\u0301te\u0301', 'third'],
    [mark('green', 'plain'), 'fourth'],
  ])
  const places = table.split('\n').map((line) => widthOf(line.replace(/(first|second|third|fourth)$/, '')))
  expect(new Set(places)).toEqual(new Set([8]))
})

test.each([
  ['fits', 'short enough', 12, 'short enough'],
  ['is cut', 'too long for it', 8, 'too lon…'],
  ['is wide', '日本語の文章', 8, '日本語…'],
  ['is an emoji of several parts', 'ab👩‍👩‍👧cd', 4, 'ab…'],
])('a text that %s takes no more columns than it has', (_what, text, columns, shown) => {
  expect(shorten(text, columns)).toBe(shown)
  expect(widthOf(shown)).toBeLessThanOrEqual(columns)
})

test('a long text of characters without a width is cut, too', () => {
  expect(shorten('\u0301'.repeat(1_000_000), 10).length).toBeLessThan(100)
})

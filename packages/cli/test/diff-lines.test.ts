import { expect, test } from 'vitest'
import { diffLines } from '../src/documents/diff-lines.ts'

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ mark, text }) => `${mark}${text}`)

test('a changed line is shown with two lines around it', () => {
  expect(shown('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nX\ne\nf\n')).toEqual([' b', ' c', '-d', '+X', ' e', ' f'])
})

test('a line break at the end makes no difference', () => {
  expect(shown('a\nb', 'a\nb\n')).toEqual([])
  expect(shown('', 'a\n')).toEqual(['+a'])
})

test('of a long text, only what has changed is shown', () => {
  const lines = Array.from({ length: 8000 }, (_, index) => `line ${index}`)
  const changed = lines.with(4000, 'changed')
  expect(shown(lines.join('\n'), changed.join('\n'))).toEqual([
    ' line 3998',
    ' line 3999',
    '-line 4000',
    '+changed',
    ' line 4001',
    ' line 4002',
  ])
})

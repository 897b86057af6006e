import { expect, test } from 'vitest'
import { isLabelName, isName, MAX_NAME_LENGTH } from '../src/facts.ts'

test.each(['', '-a', 'a-', 'A', 'a_b', 'a b', 'a\n', 'é', 'a/b', 'a.b', 'a'.repeat(MAX_NAME_LENGTH + 1)])(
  '%j is not a name',
  (text) => {
    expect(isName(text)).toBe(false)
  },
)

test.each(['a', '0', 'a-b', 'a--b', 'a'.repeat(MAX_NAME_LENGTH)])(
  '%j is a name, and of a label too',
  (text) => {
    expect(isName(text)).toBe(true)
    expect(isLabelName(text)).toBe(true)
  },
)

test('a label may also have dots and slashes, but not at its ends', () => {
  expect(isLabelName('example.com/team')).toBe(true)
  for (const text of ['', '/team', 'team.', 'Team', 'team\n']) expect(isLabelName(text)).toBe(false)
})

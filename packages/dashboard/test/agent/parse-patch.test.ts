import { expect, test } from 'vitest'
import { parsePatch } from '../../src/pages/agent/changes/parse-patch.ts'
import { showHidden } from '../../src/pages/agent/changes/visible-text.ts'

test('lines have their numbers before and after, in every hunk', () => {
  const patch =
    '@@ -1,2 +1,2 @@ head\n one\n-two\n+2\n@@ -9 +9,2 @@\n nine\n+--- ten\n\\ No newline at end of file\n'
  expect(parsePatch(patch).map(({ type, before, after, text }) => [type, before, after, text])).toEqual([
    ['hunk', undefined, undefined, '@@ -1,2 +1,2 @@ head'],
    ['same', 1, 1, 'one'],
    ['removed', 2, undefined, 'two'],
    ['added', undefined, 2, '2'],
    ['hunk', undefined, undefined, '@@ -9 +9,2 @@'],
    ['same', 9, 9, 'nine'],
    ['added', undefined, 10, '--- ten'],
    ['note', undefined, undefined, 'No newline at end of file'],
  ])
})

test('what would be invisible or reorder a line is shown by its number', () => {
  expect(showHidden('a\tb\u202ec\u001b[31m\n')).toBe('a\tb⟨202E⟩c⟨001B⟩[31m⟨000A⟩')
})

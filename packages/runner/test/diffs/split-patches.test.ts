import { expect, test } from 'vitest'
import { parseChanges } from '../../src/diffs/parse-changes.ts'
import { splitPatches } from '../../src/diffs/split-patches.ts'

test('each file has its hunks, and content cannot begin another file', () => {
  const forged = '+diff --git a/x b/x\r\u2028diff --git a/y b/y\n'
  const output = `diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n one\n${forged}diff --git a/b b/b\nold mode 100644\nnew mode 100755\n`
  expect(splitPatches(output)).toEqual([`@@ -1 +1,2 @@\n one\n${forged}`, ''])
  expect(splitPatches('')).toEqual([])
})

test('names with tabs, line breaks and colons are read, and both names of a renamed file', () => {
  const output = [
    ':100644 000000 1111 0000 D',
    'a\tb\nc',
    ':100644 100644 1111 2222 R090',
    ':old',
    '5\t6\tnew',
    ':000000 160000 0000 3333 A',
    'sub',
    '0\t3\ta\tb\nc',
    '1\t2\t',
    ':old',
    '5\t6\tnew',
    '-\t-\tsub',
    '',
  ].join('\0')
  expect(parseChanges(output)).toEqual([
    { path: 'a\tb\nc', oldPath: '', change: 'deleted', kind: 'text', added: 0, removed: 3, patches: 1 },
    { path: '5\t6\tnew', oldPath: ':old', change: 'renamed', kind: 'text', added: 1, removed: 2, patches: 1 },
    { path: 'sub', oldPath: '', change: 'added', kind: 'submodule', added: 0, removed: 0, patches: 1 },
  ])
})

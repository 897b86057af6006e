import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutQuickActions } from '../../src/code-hosts/quick-actions.ts'

/** What GitLab looks for, once carriage returns are gone. */
const OBEYED = /^\/[^\s/]+(?:[ ][^\n]*)?(?:\s*\n|\s*$)/im

test('a line that GitLab would obey is only shown', () => {
  expect(withoutQuickActions('/merge')).toBe(String.raw`\/merge`)
  expect(withoutQuickActions('Done.\n/label ~agent\n')).toBe('Done.\n\\/label ~agent\n')
  expect(withoutQuickActions('  /close now')).toBe(String.raw`  \/close now`)
  expect(withoutQuickActions('/MERGE\n/approve')).toBe('\\/MERGE\n\\/approve')
})

test('carriage returns hide nothing', () => {
  for (const text of ['/\rmerge', 'x\r/merge', '\r\n/merge\r\n', '\r/\rmer\rge\r']) {
    expect(withoutQuickActions(text).replaceAll('\r', '')).not.toMatch(OBEYED)
  }
})

test('paths and other text stay as they are', () => {
  for (const text of ['/usr/bin/env', 'See /merge.', 'a/b', '> /merge', '// a comment', '']) {
    expect(withoutQuickActions(text)).toBe(text)
  }
})

test('whatever is written, nothing is left to obey', () => {
  const pieces = fc.constantFrom('/', 'merge', 'close', '\r', '\n', ' ', '\t', '`', '>', '\\', '\u2028', 'ſ')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      expect(withoutQuickActions(parts.join('')).replaceAll('\r', '')).not.toMatch(OBEYED)
    }),
  )
})

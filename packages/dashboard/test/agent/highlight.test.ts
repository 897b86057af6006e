import { expect, test } from 'vitest'
import { highlightLine } from '../../src/pages/agent/changes/highlight/highlight-line.ts'
import { languageOf } from '../../src/pages/agent/changes/highlight/language-of.ts'

test('a line keeps every character, and its parts are named', () => {
  const line = 'const a = "<b>" // one'
  const pieces = highlightLine('typescript', line)
  expect(pieces.map(({ text }) => text).join('')).toBe(line)
  expect(pieces.find(({ text }) => text === 'const')?.kind).toBe('keyword')
  expect(pieces.find(({ text }) => text === '"<b>"')?.kind).toBe('string')
})

test('every language that a name stands for is known, and any other name stands for none', () => {
  for (const path of ['a.ts', 'b.PY', 'c/d.yml', 'e.toml', 'f.kt', 'g.graphql', 'h.vue'])
    expect(highlightLine(languageOf(path) ?? 'none', 'x')).toHaveLength(1)
  expect(['Makefile', 'a.constructor', 'a.', ''].map(languageOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('hostile lines of the longest length are coloured within a moment', () => {
  const lines = [
    '"'.repeat(300),
    '/*'.repeat(150),
    '<!--'.repeat(75),
    '\\'.repeat(300),
    '(a+'.repeat(100),
    ' '.repeat(300),
  ]
  const started = performance.now()
  for (const language of ['typescript', 'xml', 'markdown', 'python', 'php', 'bash', 'yaml'])
    for (const line of lines) highlightLine(language, line)
  expect(performance.now() - started).toBeLessThan(2_000)
})

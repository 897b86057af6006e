import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** What to write instead is in docs/contributing/writing.md, which quotes them. */
const PHRASES = [
  /\bmend(?:s|ed|ing)?\b/i,
  /as far as the caller may know/i,
  /\bthere is no such (?:agent|resource|tenant|workspace)\b/i,
  /\blast heard of\b/i,
  /\bwhat is to be done\b/i,
  /\btried again\b/i,
  /\bby (?:twos|threes)\b/i,
  /\bwhoever\b/i,
  /\bno matter by whom\b/i,
  /\blast looked at\b/i,
  /\bhow (?:it is|they are) doing\b/i,
  /; else empty\b/i,
  /\bfor ever\b/i,
  /\bfor want of\b/i,
  /\bin mid-(?:turn|run|stream)\b/i,
  /\bwhen left out\b/i,
  /\banew\b/i,
  /\b(?:hung|hangs) up\b/i,
  /\bheld against\b/i,
  /\bone's own\b/i,
  /\b(?:database|PostgreSQL|service) (?:is|that is) away\b/i,
]

const READ = [
  'README.md',
  'CONTRIBUTING.md',
  '{docs,.changeset}/**/*.md',
  '{packages/*/src,scripts,bench,e2e}/**/*.{ts,tsx}',
]
const QUOTES_THEM = 'docs/contributing/writing.md'

test('nothing that people read uses a phrase of the word list', async () => {
  const found: string[] = []
  let files = 0
  for await (const path of glob(READ, { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
    if (path === QUOTES_THEM) continue
    files++
    const lines = (await readFile(ROOT + path, 'utf8')).split('\n')
    for (const [index, line] of lines.entries()) {
      if (PHRASES.some((phrase) => phrase.test(line))) found.push(`${path}:${index + 1}: ${line.trim()}`)
    }
  }
  expect(files).toBeGreaterThan(500)
  expect(found).toEqual([])
})

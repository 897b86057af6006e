import * as fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import { FileMatcher } from '../../src/globs/file-matcher.ts'
import { globProblem } from '../../src/globs/parse-glob.ts'

const fits = (pattern: string, ...files: string[]) => new FileMatcher().matches(pattern, files)

describe('a pattern', () => {
  test.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/sub/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**', '.github/workflows/ci.yml', true],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['**/migrations/**', 'packages/store/migrations/0001.sql', true],
    ['*.{js,ts{,x}}', 'a.tsx', true],
    ['*.{js,ts{,x}}', 'a.jsx', false],
    ['[a-c]?[!0-9].ts', 'bxy.ts', true],
    ['[a-c]?[!0-9].ts', 'bx1.ts', false],
    ['[]-]', '-', true],
    ['\\*.md', '*.md', true],
    ['\\*.md', 'a.md', false],
    ['app/(group)/page.tsx', 'app/(group)/page.tsx', true],
    ['./README.md', 'README.md', true],
    ['!docs/**', 'docs/a.md', false],
    ['!docs/**', 'src/a.ts', true],
    ['', 'anything', true],
  ])('%s for %s: %s', (pattern, file, expected) => {
    expect(fits(pattern, file)).toBe(expected)
  })

  test('fits when one of the files does', () => {
    expect(fits('*.ts', 'a.md', 'b.ts')).toBe(true)
    expect(fits('*.ts')).toBe(false)
    expect(fits('')).toBe(false)
  })

  test.each([
    ['+(*)+(*)b', /\+\(/],
    ['!(a)', /!\(/],
    ['a{b', /without a matching \}/],
    ['a{b}', /list/],
    ['{1..3}', /list/],
    ['[a', /without a matching \]/],
    ['[z-a]', /reversed/],
    ['[[:alpha:]]', /named class/],
    ['/src/*', /relative/],
    ['src/', /end in/],
    ['a//b', /\/\//],
    ['a\\', /backslash/],
    ['{a,b}'.repeat(40), /32 alternatives/],
    ['{'.repeat(128), /without/],
  ])('%s is rejected, and matches nothing if it is already stored', (pattern, problem) => {
    expect(globProblem(pattern)).toMatch(problem)
    expect(fits(pattern, 'a', 'b', pattern)).toBe(false)
  })
})

const segment = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'ab', 'abc', '.a', 'b.ts', '*', '**', '*.ts', 'a*', '*b*c', 'a?c', '?'),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[^a]', '[a-c]', '{a,b}', '{a,b*}'), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => parts.join('').replaceAll(/\*{2,}/g, '*')),
  },
)
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
// Skips names that begin or end with a dot: picomatch has its own, inconsistent rules for them.
const name = fc.stringMatching(/^[abc]{1,4}(\.[abc]{1,2}){0,2}$/)
const file = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'))

test('agrees with picomatch on what both understand', () => {
  fc.assert(
    fc.property(pattern, file, (glob, path) => {
      // picomatch takes `a/**` for a itself, and `*/**` not.
      expect(fits(glob, path)).toBe(picomatch(glob.replace(/\*\*$/, '**/*'), { dot: true })(path))
    }),
    // The nightly command sets more.
    { numRuns: Number(process.env['SKEIN_PROPERTY_RUNS'] ?? 5000) },
  )
})

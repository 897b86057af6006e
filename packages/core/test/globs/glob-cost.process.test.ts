import { describe, expect, test } from 'vitest'
import { FileMatcher } from '../../src/globs/file-matcher.ts'

describe('the work for one report', () => {
  test('is small where picomatch takes minutes', () => {
    const matcher = new FileMatcher()
    const begin = performance.now()
    expect(matcher.matches('*a*a*a*a*a*a*a*a*a*a*b', [`${'a'.repeat(4000)}c`])).toBe(false)
    expect(matcher.matches('**/**/**/a/**/**/a/**/b', ['a/'.repeat(2000) + 'c'])).toBe(false)
    expect(performance.now() - begin).toBeLessThan(500)
  })

  test('is enough for a large push and many patterns', () => {
    const files = Array.from(
      { length: 10_000 },
      (_, index) => `packages/p${index % 50}/src/part/file-${index}.ts`,
    )
    const patterns = ['docs/**', '**/*.md', '**/*.{js,jsx}', 'packages/*/migrations/*.sql', '**/package.json']
    const matcher = new FileMatcher()
    expect(patterns.map((glob) => matcher.matches(glob, files))).toEqual(patterns.map(() => false))
  })

  test('is bounded for all files and patterns together; what is left undecided counts as a match', () => {
    const files = Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(300)}${index}`)
    const matcher = new FileMatcher()
    const before = process.cpuUsage()
    const answers = Array.from({ length: 500 }, (_, index) =>
      matcher.matches(`${'*a'.repeat(100)}${index}b`, files),
    )
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000)
    expect(answers.at(-1)).toBe(true)
    expect(matcher.matches('*', [])).toBe(false)
  })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesModel } from '../src/facts.ts'

/** What a star means, in the plainest way: it stands for nothing, or for one character and a star again. */
function matchesPlainly(pattern: string, model: string): boolean {
  if (pattern === '') return model === ''
  if (pattern.startsWith('*')) {
    return (
      matchesPlainly(pattern.slice(1), model) || (model !== '' && matchesPlainly(pattern, model.slice(1)))
    )
  }
  return pattern[0] === model[0] && matchesPlainly(pattern.slice(1), model.slice(1))
}

describe('a model pattern', () => {
  test('matches what its plain definition matches', () => {
    const letters = { unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 }
    const models = { unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 }
    fc.assert(
      fc.property(fc.string(letters), fc.string(models), (pattern, model) => {
        expect(matchesModel(pattern, model)).toBe(matchesPlainly(pattern, model))
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    ['gpt-*', 'gpt-5.5', true],
    ['*-mini*', 'gpt-5-mini-2026', true],
    ['*', '', true],
    ['o3*', 'go3', false],
    ['claude.opus', 'claude-opus', false],
    ['a*a', 'a', false],
    ['a(b+)+$', 'a(b+)+$', true],
    ['*', 'two\nlines', true],
  ])('%j against %j is %j', (pattern, model, expected) => {
    expect(matchesModel(pattern, model)).toBe(expected)
  })

  test('takes no longer for many stars against a long name', () => {
    const startedAt = performance.now()
    expect(matchesModel('a*'.repeat(127) + 'b', 'a'.repeat(255))).toBe(false)
    expect(matchesModel('*a'.repeat(50_000) + 'b', 'a'.repeat(100_000))).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})

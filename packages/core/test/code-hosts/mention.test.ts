import { expect, test } from 'vitest'
import { isMentioned } from '../../src/code-hosts/starts/mention.ts'

test.each([
  '@skein do it',
  'Please, @skein: do it.',
  'Hi (@Skein), do it',
  '**@skein** do it',
  'first\n\n@skein.',
  '> quoted\n\n@skein do that',
  '`code` then @skein',
  'a ` alone, then @skein',
  '```\ncode\n```\n@skein',
  '- [ ] @skein please',
  '<!-- template --> @skein',
])('%j is a mention', (text) => {
  expect(isMentioned(text, 'skein')).toBe(true)
})

test.each([
  '',
  'skein',
  'me@skein',
  '@skein-bot do it',
  '@skeins',
  '@skein/team',
  '@skein.example.com',
  'mail a@skein.org',
  '`@skein`',
  '``a ` @skein``',
  '> @skein do it',
  '> @other said\n@skein do it',
  '  > @skein',
  '    @skein in code',
  '\t@skein in code',
  '```\n@skein\n```',
  '~~~ts\n@skein',
  '````\n```\n@skein\n````',
  '<!-- @skein -->',
  '<!-- @skein',
  '/@skein',
])('%j is none', (text) => {
  expect(isMentioned(text, 'skein')).toBe(false)
})

test('without a name nobody is mentioned', () => {
  expect(isMentioned('@ do it', '')).toBe(false)
})

test('a hostile text takes no longer than another', () => {
  const texts = [
    '`'.repeat(16_000) + 'a'.repeat(16_000),
    '` '.repeat(16_000),
    '<!--'.repeat(8_000),
    '@'.repeat(32_000),
  ]
  const hostile = [
    ...texts,
    Array.from({ length: 250 }, (_, length) => '`'.repeat(length)).join(' '),
    '@skein-'.repeat(4_000),
  ]
  const startedAt = performance.now()
  for (const text of hostile) expect(isMentioned(text, 'skein')).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})

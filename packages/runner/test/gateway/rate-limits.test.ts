import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRetryAfterMs } from '../../src/gateway/rate-limits.ts'

const now = Date.parse('2026-11-15T09:00:00Z')

test.each([
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['parts of a second', { 'retry-after': '0.5' }, 500],
  ['milliseconds, which are more exact', { 'retry-after': '2', 'retry-after-ms': '1250' }, 1_250],
  ['a date', { 'retry-after': 'Sun, 15 Nov 2026 09:01:00 GMT' }, 60_000],
  ['a date that has passed', { 'retry-after': 'Sun, 15 Nov 2026 08:00:00 GMT' }, 0],
  ['a moment of Anthropic', { 'anthropic-ratelimit-tokens-reset': '2026-11-15T09:00:30Z' }, 30_000],
  ['seconds since 1970', { 'anthropic-ratelimit-unified-reset': String(now / 1000 + 90) }, 90_000],
  [
    'the limit that is used up, of several',
    {
      'anthropic-ratelimit-requests-remaining': '12',
      'anthropic-ratelimit-requests-reset': '2026-11-15T10:00:00Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-15T09:00:05Z',
    },
    5_000,
  ],
  [
    'the latest of several, where none is marked',
    { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' },
    360_000,
  ],
  ['a length of time of OpenAI', { 'x-ratelimit-reset-tokens': '1h2m3.5s' }, 3_723_500],
  ['a short one', { 'x-ratelimit-reset-requests': '120ms', 'x-ratelimit-remaining-requests': '0' }, 120],
  ['what stands before the resets', { 'retry-after': '1', 'x-ratelimit-reset-tokens': '6m0s' }, 1_000],
] as const)('a wait is read from %s', (_name, headers, expected) => {
  expect(readRetryAfterMs(headers, '', now)).toBe(expected)
})

test('the retry delay is read from the message if there is no header', () => {
  const message = 'Rate limit reached for gpt-6 on tokens per min. Please try again in 11.054s. Visit …'
  expect(readRetryAfterMs({}, message, now)).toBe(11_054)
})

test.each([
  [{}, ''],
  [{ 'retry-after': 'soon' }, 'Try again later.'],
  [{ 'x-ratelimit-reset-tokens': '' }, ''],
])('no retry delay is invented (%j)', (headers, message) => {
  expect(readRetryAfterMs(headers, message, now)).toBeUndefined()
})

test('whatever a provider sends, the retry delay is non-negative or absent', () => {
  const header = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  )
  fc.assert(
    fc.property(header, header, header, fc.string(), (after, reset, tokens, message) => {
      const headers = {
        'retry-after': after,
        'anthropic-ratelimit-tokens-reset': reset,
        'x-ratelimit-reset-tokens': tokens,
      }
      const waitMs = readRetryAfterMs(headers, message, now)
      expect(waitMs === undefined || (Number.isFinite(waitMs) && waitMs >= 0)).toBe(true)
    }),
  )
})

import type { TestAnswer } from '@skein/testkit'
import { expect } from 'vitest'

/** All that a caller can see of an answer but for what names the request itself. */
function visible({ status, headers, text }: TestAnswer): unknown {
  const { 'x-request-id': _requestId, date: _date, ...rest } = headers
  return { status, headers: rest, text }
}

/** The two responses are identical, byte for byte. */
export function expectSameAnswer(one: TestAnswer, other: TestAnswer): void {
  expect(visible(one)).toEqual(visible(other))
}

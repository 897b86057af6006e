import { expect, test } from 'vitest'
import { isAsking } from '../src/index.ts'

test('only an agent that waits with a question asks', () => {
  expect(isAsking({ phase: 'PHASE_WAITING', needsInput: 'Red or blue?' })).toBe(true)
  expect(isAsking({ phase: 'PHASE_WAITING', needsInput: '' })).toBe(false)
  expect(isAsking({ phase: 'PHASE_RUNNING', needsInput: 'Red or blue?' })).toBe(false)
  expect(isAsking({ phase: 'PHASE_CANCELED', needsInput: 'Red or blue?' })).toBe(false)
})

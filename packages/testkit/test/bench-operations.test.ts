import { expect, test } from 'vitest'
import { OPERATIONS, selectOperations } from '../../../bench/operations.ts'

test.each([
  [['status'], ['status']],
  [
    ['list', 'status'],
    ['status', 'list'],
  ],
  [['spawn'], ['spawn', 'claim', 'complete']],
  [
    ['queue', 'status'],
    ['status', 'queue', 'claim', 'complete'],
  ],
  [['complete'], ['queue', 'claim', 'complete']],
  [
    ['claim', 'spawn'],
    ['spawn', 'claim', 'complete'],
  ],
  [[...OPERATIONS], [...OPERATIONS]],
])('a benchmark of only %j measures %j', (names, measured) => {
  expect(selectOperations(names)).toEqual(measured)
})

test('an operation that does not exist is an error that names those that do', () => {
  expect(() => selectOperations(['status', 'kill'])).toThrow(/Unknown operation kill\. Known: status, list/)
})

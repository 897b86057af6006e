import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentPathOf, belongsTo, keyOf, labelsOf, requestIdOf } from '../src/cause.ts'

const cause = { namespace: 'default', workflowId: 'release', runId: 'run-1', activityId: '1' }
const anyCause = fc.record({
  namespace: fc.string(),
  workflowId: fc.string({ maxLength: 1000 }),
  runId: fc.uuid(),
  activityId: fc.string(),
})

test('the names of an activity are the same in each attempt', () => {
  fc.assert(
    fc.property(anyCause, (each) => {
      expect(keyOf({ ...each })).toBe(keyOf(each))
    }),
  )
})

test.each(['namespace', 'workflowId', 'runId', 'activityId'] as const)(
  'another %s has other names',
  (part) => {
    expect(keyOf({ ...cause, [part]: 'other' })).not.toBe(keyOf(cause))
  },
)

test('parts that touch are not confused', () => {
  expect(keyOf({ ...cause, workflowId: 'a', runId: 'bc' })).not.toBe(
    keyOf({ ...cause, workflowId: 'ab', runId: 'c' }),
  )
})

test('whatever a workflow is called, its names and labels are accepted', () => {
  fc.assert(
    fc.property(anyCause, (each) => {
      expect(agentPathOf('a'.repeat(42), each)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      expect(requestIdOf(each)).toMatch(/^[A-Za-z0-9._:-]{1,128}$/)
      for (const value of Object.values(labelsOf(each))) expect(value.length).toBeLessThanOrEqual(255)
    }),
  )
})

test('an agent belongs to its workflow in each of its runs, and to no other', () => {
  const labels = { ...labelsOf(cause), team: 'payments' }
  expect(belongsTo(labels, { ...cause, runId: 'run-2', activityId: '9' })).toBe(true)
  expect(belongsTo(labels, { ...cause, workflowId: 'other' })).toBe(false)
  expect(belongsTo(labels, { ...cause, namespace: 'other' })).toBe(false)
  expect(belongsTo({}, cause)).toBe(false)
})

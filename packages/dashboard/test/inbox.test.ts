import { expect, test } from 'vitest'
import { questionKey, sortInbox } from '../src/pages/inbox/sort-inbox.ts'
import { makeItem } from './fleet/fleet-entries.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')

test('the agent that has waited longest for an answer comes first', () => {
  const waiting = [
    makeItem('late', { phase: 'PHASE_WAITING', needsInput: '?', progressAt: '2026-11-15T11:00:00.000Z' }),
    makeItem('early', { phase: 'PHASE_WAITING', needsInput: '?', progressAt: '2026-11-15T10:00:00.000Z' }),
    makeItem('rests', { phase: 'PHASE_WAITING' }),
  ]
  const { asking, resting } = sortInbox(waiting, [], NOW)
  expect(asking.map(({ title }) => title)).toEqual(['shop/early', 'shop/late'])
  expect(resting.map(({ title }) => title)).toEqual(['shop/rests'])
})

test('agents that failed more than a day ago are not in the inbox', () => {
  const failed = [
    makeItem('old', { endTime: '2026-11-14T11:59:00.000Z' }),
    makeItem('new', { endTime: '2026-11-14T12:01:00.000Z' }),
  ]
  expect(sortInbox([], failed, NOW).failed.map(({ title }) => title)).toEqual(['shop/new'])
})

test('a question after another run is another question', () => {
  expect(questionKey(makeItem('a', { runCount: '1' }))).not.toBe(
    questionKey(makeItem('a', { runCount: '2' })),
  )
})

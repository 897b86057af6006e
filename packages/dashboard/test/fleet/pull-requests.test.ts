import type { AgentPullRequest } from '@skein/client'
import { expect, test } from 'vitest'
import {
  choosePullRequests,
  describePullRequest,
  describeReview,
  isWebAddress,
  marksOf,
} from '../../src/agent/pull-requests/describe-pull-request.ts'

const OPEN: AgentPullRequest = {
  name: 'shop-12',
  codeHost: 'github',
  repository: 'acme/shop',
  number: 12,
  url: 'https://github.com/acme/shop/pull/12',
  title: 'Retry',
  state: 'open',
  draft: false,
  head: 'skein/fix',
  base: 'main',
  checks: 'failing',
  isConflicting: true,
  review: 'working',
  reviewProblem: '',
  rounds: 2,
  createTime: '2026-11-15T09:30:00.000Z',
  updateTime: '2026-11-15T09:30:00.000Z',
}

test('an open pull request shows what keeps it from being merged, an ended one only its end', () => {
  expect(marksOf(OPEN).map(({ label }) => label)).toEqual(['open', 'checks fail', 'conflicts'])
  expect(describeReview(OPEN)).toBe('the agent works on the reviews · 2 rounds')
  expect(describePullRequest(OPEN)).toBe(
    '#12 Retry: open, checks fail, conflicts, the agent works on the reviews · 2 rounds',
  )
  const merged = { ...OPEN, state: 'merged' } as const
  expect(describePullRequest(merged)).toBe('#12 Retry: merged')
  expect(marksOf(merged).map(({ label }) => label)).toEqual(['merged'])
  expect(describeReview(merged)).toBe('')
  expect(describeReview({ ...OPEN, reviewProblem: 'The agent has ended.', rounds: 0 })).toBe(
    'The agent has ended.',
  )
})

test('open ones come before ended ones, of which the newest is enough', () => {
  const merged = { ...OPEN, name: 'old', state: 'merged' } as const
  expect(choosePullRequests([merged, OPEN]).map(({ name }) => name)).toEqual(['shop-12'])
  expect(choosePullRequests([merged, { ...merged, name: 'older' }]).map(({ name }) => name)).toEqual(['old'])
})

test('only web addresses are linked', () => {
  expect(['https://x.test/1', 'http://x.test', 'javascript:alert(1)', ''].map(isWebAddress)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

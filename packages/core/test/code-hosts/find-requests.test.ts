import { expect, test } from 'vitest'
import {
  findRequests,
  mayStart,
  noteSeen,
  peopleToCheck,
  type StartPolicy,
} from '../../src/code-hosts/starts/find-requests.ts'
import type { HostIssue, IssueComment, IssueEvent } from '../../src/code-hosts/starts/host-issue.ts'
import { START_LIMITS } from '../../src/code-hosts/starts/limits.ts'
import { NEW_START } from '../../src/code-hosts/starts/start-state.ts'

const POLICY: StartPolicy = { mention: 'skein', label: 'agent', assignee: 'robot' }
const ISSUE: HostIssue = {
  number: 12,
  title: 'Slow',
  body: '',
  author: 'alice',
  isBot: false,
  mayHaveAccess: true,
  isOpen: true,
  labels: [],
  assignees: [],
  createdAt: 1_000,
}
const LABELED: IssueEvent = {
  id: 'e1',
  type: 'labeled',
  name: 'Agent',
  actor: 'bob',
  isBot: false,
  at: 2_000,
}
const ASSIGNED: IssueEvent = { ...LABELED, id: 'e2', type: 'assigned', name: 'robot', at: 3_000 }

function comment(id: string, body: string, fields: Partial<IssueComment> = {}): IssueComment {
  return {
    id,
    author: 'alice',
    isBot: false,
    isHidden: false,
    mayHaveAccess: true,
    body,
    createdAt: 4_000,
    ...fields,
  }
}

function keysOf(
  issue: Partial<HostIssue>,
  events: readonly IssueEvent[],
  comments: readonly IssueComment[] = [],
  { seen = NEW_START.seen, notBefore = 0 } = {},
): string[] {
  const read = { issue: { ...ISSUE, ...issue }, comments, events }
  return findRequests(read, { policy: POLICY, seen, notBefore }).map(({ key }) => key)
}

test('an event counts only while what it set is still there', () => {
  const both = [LABELED, ASSIGNED]
  expect(keysOf({ labels: ['agent'], assignees: ['Robot'] }, both)).toEqual(['e1', 'e2'])
  expect(keysOf({ labels: ['agent'] }, both)).toEqual(['e1'])
  expect(keysOf({ assignees: ['robot'] }, both)).toEqual(['e2'])
  expect(keysOf({}, both)).toEqual([])
})

test('of several events, the newest counts, once', () => {
  const again = { ...LABELED, id: 'e9', at: 9_000 }
  expect(keysOf({ labels: ['agent'] }, [LABELED, again])).toEqual(['e9'])
  const seen = { ...NEW_START.seen, label: 'e9' }
  expect(keysOf({ labels: ['agent'] }, [LABELED, again], [], { seen })).toEqual([])
})

test('programs, strangers by their association, hidden ones and our own text are left out', () => {
  const left = [
    comment('i1', '@skein go', { isBot: true }),
    comment('i2', '@skein go', { mayHaveAccess: false }),
    comment('i3', '@skein go', { isHidden: true }),
    comment('i4', '@skein go\n\n<!-- skein start 1 -->'),
    comment('i5', '@skein go', { author: '' }),
    comment('i6', 'go'),
  ]
  expect(keysOf({}, [], [...left, comment('i7', '@skein go')])).toEqual(['i7'])
  expect(keysOf({ body: '@skein', mayHaveAccess: false }, [])).toEqual([])
  expect(keysOf({ body: '@skein', isBot: true }, [])).toEqual([])
  expect(keysOf({ body: '@skein' }, [])).toEqual(['body'])
})

test('what came before counts for nothing', () => {
  const all = [comment('i1', '@skein go')]
  expect(keysOf({ body: '@skein', labels: ['agent'] }, [LABELED], all, { notBefore: 4_000 })).toEqual(['i1'])
})

test('what strangers write does not have the keys of others forgotten', () => {
  const ours = { ...NEW_START.seen, comments: ['i1'] }
  const many = Array.from({ length: 2 * START_LIMITS.seenComments }, (_, n) => ({
    by: 'mention' as const,
    key: `x${n}`,
    person: 'mallory',
    text: 'x',
    at: 0,
  }))
  const seen = noteSeen(ours, many, () => false)
  expect(seen.comments).toEqual(['i1'])
  expect(seen.others).toHaveLength(START_LIMITS.seenComments)
})

test('what was dealt with is not found again, and what is remembered has a bound', () => {
  const comments = Array.from({ length: 2 * START_LIMITS.seenComments }, (_, n) =>
    comment(`i${n}`, '@skein go'),
  )
  const read = { issue: { ...ISSUE, body: '@skein', labels: ['agent'] }, comments, events: [LABELED] }
  const seen = noteSeen(
    NEW_START.seen,
    findRequests(read, { policy: POLICY, seen: NEW_START.seen, notBefore: 0 }),
    () => true,
  )
  expect(seen).toMatchObject({ hasBody: true, label: 'e1', assignment: '' })
  expect(seen.comments).toHaveLength(START_LIMITS.seenComments)
  const newest = { ...read, comments: comments.slice(-START_LIMITS.seenComments) }
  expect(findRequests(newest, { policy: POLICY, seen, notBefore: 0 })).toEqual([])
})

test('the access of a bounded number of people is asked for, and nobody else may', () => {
  const comments = Array.from({ length: 100 }, (_, n) => comment(`i${n}`, '@skein', { author: `P${n}` }))
  const requests = findRequests(
    { issue: ISSUE, comments, events: [] },
    { policy: POLICY, seen: NEW_START.seen, notBefore: 0 },
  )
  const people = peopleToCheck(requests, ISSUE)
  expect(people).toHaveLength(START_LIMITS.authors)
  expect(people.slice(0, 2)).toEqual(['alice', 'p99'])
  expect(peopleToCheck([], ISSUE)).toEqual([])
  const permissions = new Map([
    ['p99', 'write'],
    ['p98', 'read'],
  ] as const)
  expect(['P99', 'p98', 'p1'].map((login) => mayStart(login, permissions))).toEqual([true, false, false])
})

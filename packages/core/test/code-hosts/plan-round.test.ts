import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  Conversation,
  HostComment,
  HostPermission,
  HostThread,
} from '../../src/code-hosts/reviews/conversation.ts'
import { REVIEW_LIMITS } from '../../src/code-hosts/reviews/limits.ts'
import { commentMark, planRound, type RoundContext } from '../../src/code-hosts/reviews/plan-round.ts'
import { NEW_REVIEW, type ReviewState } from '../../src/code-hosts/reviews/review-state.ts'
import { beginRound, endSending, watchAgain } from '../../src/code-hosts/reviews/review-steps.ts'

const digest = (text: string) => String(text.length) + text.slice(0, 200)
const pull = { name: 'shop-1', url: 'https://host.test/1', commit: 'one', base: 'main' }

function comment(fields: Partial<HostComment> = {}): HostComment {
  return {
    id: 'i1',
    author: 'ada',
    isBot: false,
    isHidden: false,
    mayHaveAccess: true,
    body: 'Please.',
    ...fields,
  }
}

function thread(key: string, ...comments: HostComment[]): HostThread {
  const place = { path: '', line: 0, isOldSide: false, replyTo: '', resolveId: '' }
  return { key, place, isResolved: false, comments }
}

function context(conversation: Partial<Conversation>, fields: Partial<RoundContext> = {}): RoundContext {
  return {
    conversation: {
      commit: 'one',
      isConflicting: false,
      threads: [],
      checks: [],
      unconvinced: [],
      readUntil: 500,
      ...conversation,
    },
    permissions: new Map([['ada', 'write' as const]]),
    seen: new Map(),
    roundLimit: 5,
    digest,
    now: 1_000,
    ...fields,
  }
}

const failing = (log: string) => [{ name: 'ci', state: 'failing' as const, log }]

function deliver(before: ReviewState, looked: RoundContext): ReviewState {
  const { state, decision } = planRound(before, looked)
  if (decision.type === 'nothing') throw new Error('nothing to deliver')
  const step = {
    pull: { ...pull, commit: looked.conversation.commit },
    roundLimit: 5,
    digest,
    mintId: () => 't',
    now: 2,
  }
  return watchAgain(endSending(beginRound(state, decision, step), 3), 4)
}

test('only people with write access reach the agent, whatever they write', () => {
  fc.assert(
    fc.property(
      fc.record({
        author: fc.constantFrom('ada', 'Ada', 'eve', 'mallory', ''),
        isBot: fc.boolean(),
        isHidden: fc.boolean(),
        mayHaveAccess: fc.boolean(),
        body: fc.string(),
      }),
      fc.constantFrom<HostPermission>('admin', 'write', 'read', 'none'),
      (fields, permission) => {
        const permissions = new Map([['ada', permission]])
        const { decision } = planRound(
          NEW_REVIEW,
          context({ threads: [thread('i1', comment(fields))] }, { permissions }),
        )
        const hasAccess =
          fields.author.toLowerCase() === 'ada' && (permission === 'admin' || permission === 'write')
        const isAllowed = hasAccess && !fields.isBot && !fields.isHidden && fields.mayHaveAccess
        expect(isAllowed || decision.type === 'nothing').toBe(true)
      },
    ),
  )
})

test('our own answers wake nobody, but a person who quotes one does', () => {
  const own = 'Done.\n\n<!-- skein answer 1 -->\n'
  expect(
    planRound(NEW_REVIEW, context({ threads: [thread('i1', comment({ body: own }))] })).decision.type,
  ).toBe('nothing')
  const quoted = comment({ body: `> Done.\n> <!-- skein answer 1 -->\n\nNo, it is not.` })
  expect(planRound(NEW_REVIEW, context({ threads: [thread('i1', quoted)] })).decision.type).toBe('deliver')
})

test('what was seen is not delivered again, unless it was edited', () => {
  const known = comment()
  const seen = new Map([['i1', [commentMark(known, digest)]]])
  expect(planRound(NEW_REVIEW, context({ threads: [thread('i1', known)] }, { seen })).decision.type).toBe(
    'nothing',
  )
  const edited = thread('i1', comment({ body: 'Rather not.' }))
  expect(planRound(NEW_REVIEW, context({ threads: [edited] }, { seen })).decision.type).toBe('deliver')
})

test('a resolved thread is left alone, unless the agent knows it and somebody replies', () => {
  const resolved = { ...thread('c1', comment()), isResolved: true }
  expect(planRound(NEW_REVIEW, context({ threads: [resolved] })).decision.type).toBe('nothing')
  const seen = new Map([['c1', ['c0:other']]])
  expect(planRound(NEW_REVIEW, context({ threads: [resolved] }, { seen })).decision.type).toBe('deliver')
})

test('ten thousand comments are delivered in rounds of a bounded size, and what is left is read again', () => {
  const threads = Array.from({ length: 10_000 }, (_, index) =>
    thread(`i${index}`, comment({ id: `i${index}`, body: 'x'.repeat(3_000) })),
  )
  const { state, decision } = planRound(NEW_REVIEW, context({ threads }))
  if (decision.type !== 'deliver') throw new Error('not delivered')
  expect(decision.news.threads.length).toBeLessThanOrEqual(REVIEW_LIMITS.threadsPerRound)
  const step = { pull, roundLimit: 5, digest, mintId: () => 't', now: 2 }
  const { message } = beginRound(state, decision, step)
  expect(message?.description.length).toBeLessThan(2 * REVIEW_LIMITS.roundLength)
  expect(state.readUntil).toBe(0)
})

test('rounds are counted whatever is pushed, and only a person resets the count', () => {
  let state: ReviewState = NEW_REVIEW
  for (let round = 1; round <= 5; round += 1) {
    const commit = `commit-${round}`
    state = deliver(state, context({ commit, threads: [thread(`i${round}`, comment({ id: `i${round}` }))] }))
    expect(state.rounds).toBe(round)
  }
  const again = context({ commit: 'forced', threads: [thread('i9', comment({ id: 'i9' }))] })
  const { decision } = planRound(state, again)
  expect(decision).toMatchObject({ type: 'ask', cause: 'rounds' })
  expect(watchAgain({ ...state, phase: 'working' }, 9).rounds).toBe(5)
  expect(watchAgain({ ...state, phase: 'ended' }, 9).rounds).toBe(5)
  expect(watchAgain({ ...state, phase: 'stopped' }, 9).rounds).toBe(0)
})

test('each message has an id of its own, also after a person has helped', () => {
  const first = deliver(NEW_REVIEW, context({ threads: [thread('i1', comment())] }))
  const helped = watchAgain({ ...first, phase: 'stopped' }, 9)
  const { state, decision } = planRound(helped, context({ threads: [thread('i2', comment({ id: 'i2' }))] }))
  if (decision.type === 'nothing') throw new Error('nothing')
  const step = { pull, roundLimit: 5, digest, mintId: () => 't', now: 2 }
  expect(beginRound(state, decision, step).message?.followUpId).toBe('review:shop-1:2')
})

test('a failure is told once for a commit, and the same one again asks a person', () => {
  const state = deliver(NEW_REVIEW, context({ checks: failing('3 failed after 12 s') }))
  expect(planRound(state, context({ checks: failing('3 failed after 12 s') })).decision.type).toBe('nothing')
  const same = planRound(state, context({ commit: 'two', checks: failing('4 failed after 9 s') }))
  expect(same.decision).toMatchObject({ type: 'ask', cause: 'same-failure' })
  const other = planRound(state, context({ commit: 'two', checks: failing('cannot compile') }))
  expect(other.decision.type).toBe('deliver')
  const passed = planRound(
    state,
    context({ commit: 'two', checks: [{ name: 'ci', state: 'passing', log: '' }] }),
  )
  const later = planRound(passed.state, context({ commit: 'three', checks: failing('3 failed after 12 s') }))
  expect(later.decision.type).toBe('deliver')
})

test('failures wait for checks that are still running, but not for ever', () => {
  const checks = [...failing('no'), { name: 'slow', state: 'pending' as const, log: '' }]
  const waiting = planRound(NEW_REVIEW, context({ checks }))
  expect(waiting.decision.type).toBe('nothing')
  const later = context({ checks }, { now: 1_001 + REVIEW_LIMITS.checksMs })
  expect(planRound(waiting.state, later).decision.type).toBe('deliver')
})

test('a conflict counts when it is seen twice, and is told once for a commit', () => {
  const first = planRound(NEW_REVIEW, context({ isConflicting: true }))
  expect(first.decision.type).toBe('nothing')
  const state = deliver(first.state, context({ isConflicting: true }))
  expect(planRound(state, context({ isConflicting: true })).decision.type).toBe('nothing')
})

test('a workspace without rounds delivers nothing', () => {
  const { decision } = planRound(
    NEW_REVIEW,
    context({ threads: [thread('i1', comment())] }, { roundLimit: 0 }),
  )
  expect(decision.type).toBe('nothing')
})

import { isName } from '@skein/contract/facts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  choosePullRequest,
  cleanTitle,
  composeBody,
  markerOf,
  nextRead,
  pullRequestName,
  pullRequestUrl,
  type PullRequest,
} from '../../src/code-hosts/pull-request.ts'

const AGENT = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
const NOW = Date.UTC(2026, 10, 15)
const MINUTE = 60_000

const pull = (fields: Partial<PullRequest>): PullRequest => ({
  number: 1,
  title: 'T',
  body: '',
  state: 'open',
  draft: false,
  head: 'skein/fix',
  base: 'main',
  ...fields,
})
const own = (fields: Partial<PullRequest>) => pull({ body: `Text.\n${markerOf(AGENT)}\n`, ...fields })
const wanted = { head: 'skein/fix', base: 'main' }

describe('which open pull request is used instead of a new one', () => {
  test('the agent’s own for this base, before its own for another, before somebody’s for this base', () => {
    const [ours, elsewhere, theirs] = [
      own({ number: 1 }),
      own({ number: 2, base: 'next' }),
      pull({ number: 3 }),
    ]
    expect(choosePullRequest([theirs, elsewhere, ours], wanted, AGENT)).toBe(ours)
    expect(choosePullRequest([theirs, elsewhere], wanted, AGENT)).toBe(elsewhere)
    expect(choosePullRequest([theirs], wanted, AGENT)).toBe(theirs)
  })

  test.each([
    ['a closed one', own({ state: 'closed' })],
    ['a merged one', own({ state: 'merged' })],
    ['one of another branch', own({ head: 'skein/other' })],
    ['somebody’s for another base', pull({ base: 'next' })],
    ['another agent’s for another base', pull({ base: 'next', body: markerOf('another') })],
  ])('never %s', (_what, found) => {
    expect(choosePullRequest([found], wanted, AGENT)).toBeUndefined()
  })
})

describe('the body', () => {
  test('is the agent’s text with a link to the agent and a marker that finds it again', () => {
    const body = composeBody('  Fixes it.\n', {
      agentId: AGENT,
      name: 'fix/tests',
      url: 'https://s/agents/fix',
    })
    expect(body).toBe(
      `Fixes it.\n\n---\nOpened by the Skein agent [\`fix/tests\`](https://s/agents/fix).\n${markerOf(AGENT)}\n`,
    )
    expect(choosePullRequest([pull({ body, base: 'next' })], wanted, AGENT)).toBeDefined()
  })

  test('has no link if the service has no public URL', () => {
    expect(composeBody('', { agentId: AGENT, name: 'fix', url: '' })).toMatch(
      /^---\nOpened by the Skein agent `fix`\./,
    )
  })
})

test('a title is one line without what cannot be seen', () => {
  expect(cleanTitle(' Fix\r\nit\u2028now\u202e \u001b[31m')).toBe('Fix it now [31m')
  expect(cleanTitle('x'.repeat(1000))).toHaveLength(256)
})

test('a URL is composed from the code host’s own', () => {
  const shop = { owner: 'acme', name: 'shop' }
  expect(pullRequestUrl({ type: 'github', url: 'https://github.com//' }, shop, 7)).toBe(
    'https://github.com/acme/shop/pull/7',
  )
  expect(pullRequestUrl({ type: 'gitea', url: 'https://x.example/git' }, shop, 7)).toBe(
    'https://x.example/git/acme/shop/pulls/7',
  )
})

test('a name is always one that a resource can have', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z0-9._-]{1,100}$/),
      fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      (name, number) => isName(pullRequestName({ owner: 'acme', name }, number, '3f9a1c07')),
    ),
  )
  expect(pullRequestName({ owner: 'acme', name: 'My.Shop' }, 12, '3f9a1c07')).toBe('my-shop-12-3f9a1c07')
  expect(pullRequestName({ owner: 'acme', name: '..My--Shop..' }, 1, 'd')).toBe('my-shop-1-d')
  expect(pullRequestName({ owner: 'acme', name: `${'a'.repeat(30)}...b` }, 1, 'd')).toBe(
    `${'a'.repeat(30)}-b-1-d`,
  )
  expect(pullRequestName({ owner: 'acme', name: `${'a'.repeat(31)}.b` }, 1, 'd')).toBe(
    `${'a'.repeat(31)}-1-d`,
  )
  expect(pullRequestName({ owner: 'acme', name: '...' }, 1, 'd')).toBe('repo-1-d')
})

/** How long after now it is looked at again. */
const after = (state: PullRequest['state'], unchangedMs: number) => {
  const at = nextRead(state, NOW - unchangedMs, NOW)
  return at === undefined ? undefined : at - NOW
}

test('it is looked at less often the longer nothing changes, and not at all once merged', () => {
  expect(after('open', 0)).toBe(2 * MINUTE)
  expect(after('open', 100 * MINUTE)).toBe(10 * MINUTE)
  expect(after('open', 100 * 24 * 60 * MINUTE)).toBe(60 * MINUTE)
  // The database's clock may be behind.
  expect(after('open', -MINUTE)).toBe(2 * MINUTE)
  expect(after('closed', MINUTE)).toBe(24 * 60 * MINUTE)
  expect(after('closed', 30 * 24 * 60 * MINUTE - 1)).toBe(24 * 60 * MINUTE)
  expect(after('closed', 30 * 24 * 60 * MINUTE)).toBeUndefined()
  expect(after('merged', 0)).toBeUndefined()
})

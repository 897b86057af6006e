import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHostEvent } from '../../src/code-hosts/reviews/host-event.ts'

const repository = { full_name: 'acme/shop' }
const shop = { owner: 'acme', name: 'shop' }

test('a comment, a review and a pull request name the pull request', () => {
  const about = { repository: shop, number: 7, issue: 7, commit: '', branch: '' }
  expect(parseHostEvent('issue_comment', { repository, issue: { number: 7 } })).toEqual(about)
  expect(parseHostEvent('pull_request_review', { repository, pull_request: { number: 7 } })).toEqual(about)
  expect(parseHostEvent('pull_request', { repository, number: 7 })).toEqual(about)
})

test('checks name a commit and a branch, and a push its branch', () => {
  const run = { head_sha: 'abc', check_suite: { head_branch: 'skein/fix' } }
  const checked = { repository: shop, number: 0, issue: 0, commit: 'abc', branch: 'skein/fix' }
  expect(parseHostEvent('check_run', { repository, check_run: run })).toEqual(checked)
  expect(parseHostEvent('status', { repository, sha: 'abc' })).toMatchObject({ commit: 'abc', branch: '' })
  const push = { repository, ref: 'refs/heads/skein/fix', after: 'def' }
  expect(parseHostEvent('push', push)).toMatchObject({ branch: 'skein/fix', commit: '' })
  expect(parseHostEvent('push', { repository, ref: 'refs/tags/v1' })).toBeUndefined()
})

test('other events are about nothing', () => {
  expect(parseHostEvent('star', { repository, number: 7 })).toBeUndefined()
})

test('whatever a body contains, it is parsed or ignored', () => {
  const field = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(repository, { number: 2 ** 40 }, { number: -1 }),
  )
  const keys = fc.constantFrom('repository', 'issue', 'pull_request', 'number', 'sha', 'ref', 'check_run')
  fc.assert(
    fc.property(fc.dictionary(keys, field), (body) => {
      const { number = 0, commit = '', branch = '' } = parseHostEvent('pull_request', body) ?? {}
      expect(number).toBeGreaterThanOrEqual(0)
      expect(number).toBeLessThan(2 ** 31)
      expect(`${commit}${branch}`).not.toContain('\0')
    }),
  )
})

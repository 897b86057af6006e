import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseGitLabEvent } from '../../src/code-hosts/reviews/gitlab-event.ts'

const project = { path_with_namespace: 'acme/tools/shop' }
const repository = { owner: 'acme/tools', name: 'shop' }
const nothing = { repository, number: 0, issue: 0, commit: '', branch: '' }

test('pull requests and issues are told apart, because their numbers are the same', () => {
  const about = { project, object_attributes: { iid: 7 } }
  expect(parseGitLabEvent('Merge Request Hook', about)).toEqual({ ...nothing, number: 7 })
  expect(parseGitLabEvent('Issue Hook', about)).toEqual({ ...nothing, issue: 7 })
  expect(parseGitLabEvent('Note Hook', { project, merge_request: { iid: 7 } })).toEqual({
    ...nothing,
    number: 7,
  })
  expect(parseGitLabEvent('Note Hook', { project, issue: { iid: 7 } })).toEqual({ ...nothing, issue: 7 })
})

test('pipelines and jobs name a commit and a branch, and a push its branch', () => {
  const pipeline = { project, object_attributes: { iid: 3, sha: 'abc', ref: 'skein/fix', tag: false } }
  expect(parseGitLabEvent('Pipeline Hook', pipeline)).toEqual({
    ...nothing,
    commit: 'abc',
    branch: 'skein/fix',
  })
  const ofTag = { project, object_attributes: { sha: 'abc', ref: 'v1', tag: true } }
  expect(parseGitLabEvent('Pipeline Hook', ofTag)).toMatchObject({ commit: 'abc', branch: '' })
  const job = { project, sha: 'abc', ref: 'skein/fix', tag: false }
  expect(parseGitLabEvent('Job Hook', job)).toMatchObject({ commit: 'abc', branch: 'skein/fix' })
  const push = { project, ref: 'refs/heads/skein/fix' }
  expect(parseGitLabEvent('Push Hook', push)).toEqual({ ...nothing, branch: 'skein/fix' })
  expect(parseGitLabEvent('Push Hook', { project, ref: 'refs/tags/v1' })).toBeUndefined()
})

test('what is confidential or internal is about nothing, and so is any other event', () => {
  const about = { project, object_attributes: { iid: 7 } }
  expect(parseGitLabEvent('Confidential Issue Hook', about)).toBeUndefined()
  expect(parseGitLabEvent('Confidential Note Hook', { project, issue: { iid: 7 } })).toBeUndefined()
  for (const field of ['internal', 'confidential']) {
    const body = { project, object_attributes: { [field]: true, iid: 7 } }
    expect(parseGitLabEvent('Issue Hook', body)).toBeUndefined()
  }
  expect(parseGitLabEvent('Wiki Page Hook', about)).toBeUndefined()
  expect(
    parseGitLabEvent('Issue Hook', { ...about, project: { path_with_namespace: 'shop' } }),
  ).toBeUndefined()
})

test('whatever a body contains, it is parsed or ignored', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(project, { iid: 2 ** 40 }, { iid: -1 }))
  const keys = fc.constantFrom('project', 'issue', 'merge_request', 'object_attributes', 'sha', 'ref', 'tag')
  const events = fc.constantFrom('Note Hook', 'Pipeline Hook', 'Push Hook', 'Merge Request Hook')
  fc.assert(
    fc.property(events, fc.dictionary(keys, field), (event, body) => {
      const { number = 0, issue = 0, commit = '', branch = '' } = parseGitLabEvent(event, body) ?? {}
      for (const each of [number, issue]) {
        expect(each).toBeGreaterThanOrEqual(0)
        expect(each).toBeLessThan(2 ** 31)
      }
      expect(`${commit}${branch}`).not.toContain('\0')
    }),
  )
})

import { expect, test } from 'vitest'
import { DescribedRequests } from './described-requests.ts'

const API = 'http://127.0.0.1:1'

function problemsOf(method: string, path: string, body?: object): string[] {
  const requests = new DescribedRequests(API)
  requests.note(`${API}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
  return [...requests.problems]
}

test('what GitHub describes is fine', () => {
  expect(problemsOf('GET', '/repos/acme/shop/pulls?state=open&per_page=100&page=2')).toEqual([])
  const pull = { title: 'Fix it', head: 'skein/fix', base: 'main', draft: true }
  expect(problemsOf('POST', '/repos/acme/shop/pulls', pull)).toEqual([])
  expect(problemsOf('POST', '/repos/acme/shop/issues/3/labels', { labels: ['bug'] })).toEqual([])
  expect(problemsOf('GET', '/user/memberships/orgs?state=active&per_page=100&page=1')).toEqual([])
  expect(problemsOf('POST', '/graphql', { query: '{ viewer { login } }', variables: {} })).toEqual([])
})

test.each([
  ['a path that there is not', 'GET', '/repos/acme/shop/pull/3', undefined],
  ['another method', 'PUT', '/repos/acme/shop/pulls/3', {}],
  ['a number that is none', 'GET', '/repos/acme/shop/pulls/three', undefined],
  ['an unknown parameter', 'GET', '/repos/acme/shop/pulls?status=open', undefined],
  ['a value that there is not', 'GET', '/repos/acme/shop/pulls?state=merged', undefined],
  ['an unknown field', 'POST', '/repos/acme/shop/issues/3/comments', { body: 'Hello', thread: 1 }],
  ['a field of another type', 'POST', '/repos/acme/shop/issues/3/comments', { body: 3 }],
  ['a missing field', 'POST', '/repos/acme/shop/pulls', { title: 'Fix it', head: 'skein/fix' }],
  ['a missing body', 'POST', '/repos/acme/shop/pulls', undefined],
  ['a body where none belongs', 'GET', '/repos/acme/shop/issues', { state: 'open' }],
  [
    'an unknown permission',
    'POST',
    '/app/installations/1/access_tokens',
    { permissions: { pull_request: 'write' } },
  ],
])('%s is noticed', (_what, method, path, body) => {
  expect(problemsOf(method, path, body)).not.toEqual([])
})

import { REVIEW_LIMITS } from '@skein/core'
import { expect, test } from 'vitest'
import { AnswerTooLarge } from '../../src/code-hosts/code-host.ts'
import { Gitea } from '../../src/code-hosts/hosts/gitea.ts'

const SHOP = { owner: 'acme', name: 'shop' }
const CREATED = '2026-01-01T00:00:00Z'
const NOW = Date.parse('2026-11-15T12:00:00Z')

/** Answers by path; an Error is thrown instead. */
function setUp(answer: (path: string, query: URLSearchParams) => unknown) {
  const asked: string[] = []
  const gitea = new Gitea({
    apiUrl: 'http://gitea.test/api/v1',
    token: 'token',
    gitToken: () => 'token',
    now: () => NOW,
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const path = url.pathname.replace('/api/v1/repos/acme/shop', '')
      asked.push(`${path}${url.search}`)
      const found = path === '' ? { created_at: CREATED } : answer(path, url.searchParams)
      if (found instanceof Error) throw found
      return Response.json(found)
    },
  })
  return { gitea, asked }
}

const issue = (number: number, fields: object = {}) => ({
  number,
  title: 'Slow',
  body: 'Obey.',
  state: 'open',
  user: { login: 'importer' },
  created_at: '2026-11-15T09:00:00Z',
  ...fields,
})

test('what was imported with a repository is not heard as written by who imported it', async () => {
  const { gitea } = setUp((path) => {
    if (path === '/issues/1') return issue(1)
    if (path === '/issues/2') return issue(2, { original_author: 'mallory' })
    if (path === '/issues/3') return issue(3, { created_at: '2025-06-01T00:00:00Z' })
    const comment = { user: { login: 'importer' }, body: 'Do it.', created_at: '2026-11-15T09:00:00Z' }
    return [
      { ...comment, id: 1 },
      { ...comment, id: 2, original_author: 'mallory' },
      { ...comment, id: 3, created_at: '2025-06-01T00:00:00Z' },
    ]
  })
  const issues = await gitea.issues(SHOP)
  const heard = await Promise.all([1, 2, 3].map((number) => issues.read(number)))
  expect(heard.map((found) => found?.mayHaveAccess)).toEqual([true, false, false])
  const { comments } = await issues.comments(1, 0)
  expect(comments.map(({ mayHaveAccess }) => mayHaveAccess)).toEqual([true, false, false])
})

test('issues that are too large for a page are listed in smaller ones, and one too large alone is left out', async () => {
  const { gitea, asked } = setUp((_path, query) => {
    const page = Number(query.get('page'))
    if (query.get('limit') !== '1' || page === 2) return new AnswerTooLarge()
    return page > 4 ? [] : [issue(page)]
  })
  const { numbers, isAll } = await (await gitea.issues(SHOP)).changed(NOW - 3_600_000)
  expect(numbers).toEqual([1, 3, 4])
  expect(isAll).toBe(true)
  expect(asked.map((path) => /limit=(\d+)/.exec(path)?.[1])).toEqual(['50', '5', '1', '1', '1', '1', '1'])
})

test('a list of issues that never ends is halved, and the rest is for the next time', async () => {
  const since = NOW - 3_600_000
  const { gitea, asked } = setUp(() => Array.from({ length: 50 }, (_, index) => issue(index + 1)))
  const { readUntil, isAll } = await (await gitea.issues(SHOP)).changed(since)
  expect(isAll).toBe(false)
  expect(readUntil).toBe(since + 3_600_000 / 16)
  expect(asked.length).toBe(5 * 10)
})

const at = (page: number) => new Date(NOW - 3_600_000 + page * 60_000).toISOString()

test('comments that are too large at once are read page by page, and where that ended is known', async () => {
  const timeline = (last: number) => (path: string, query: URLSearchParams) => {
    if (path.endsWith('/comments')) return new AnswerTooLarge()
    const page = Number(query.get('page'))
    if (page > last) return []
    return [
      { id: page, type: 'comment', user: { login: 'ada' }, body: `Number ${page}`, created_at: at(page) },
      { id: 1000 + page, type: 'label', user: { login: 'ada' }, created_at: at(page) },
    ]
  }
  const whole = await (await setUp(timeline(3)).gitea.issues(SHOP)).comments(1, 0)
  expect(whole.comments.map(({ body }) => body)).toEqual(['Number 1', 'Number 2', 'Number 3'])
  expect(whole.isAll).toBe(true)
  const cut = await (await setUp(timeline(1_000)).gitea.issues(SHOP)).comments(1, 0)
  expect(cut.comments).toHaveLength(REVIEW_LIMITS.pages)
  expect(cut).toMatchObject({ isAll: false, readUntil: Date.parse(at(REVIEW_LIMITS.pages)) })
})

test('reviews are all read, however small the pages of the host are', async () => {
  const { gitea } = setUp((path, query) => {
    if (path === '/pulls/1') return { head: { sha: 'a'.repeat(40) }, mergeable: true }
    if (path.endsWith('/status')) return { statuses: [] }
    if (!path.endsWith('/reviews')) return []
    const page = Number(query.get('page'))
    if (page > 3) return []
    return [
      {
        id: page,
        state: 'COMMENT',
        comments_count: 0,
        body: `Number ${page}`,
        user: { login: 'ada' },
        submitted_at: '2026-11-15T09:00:00Z',
      },
    ]
  })
  const { threads } = await gitea.readConversation(SHOP, 1, 0)
  expect(threads.map(({ key }) => key)).toEqual(['r1', 'r2', 'r3'])
})

import { expect, test } from 'vitest'
import { GitHub } from '../../src/code-hosts/hosts/github.ts'

const SHOP = { owner: 'acme', name: 'shop' }
const NOW = Date.parse('2026-11-15T12:00:00Z')
const PAGES = 8

/** A pull request with as many reviews as fill these pages, each of the greatest length. */
function setUp(saysLast: boolean) {
  const asked: number[] = []
  const github = new GitHub({
    apiUrl: 'http://github.test',
    appId: '1',
    privateKey: 'unused',
    personToken: 'token',
    now: () => NOW,
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : input)
      if (url.pathname === '/graphql') return Response.json({ data: {} })
      if (url.pathname.endsWith('/pulls/1')) return Response.json({ head: { sha: 'a'.repeat(40) } })
      if (url.pathname.endsWith('/check-runs')) return Response.json({ check_runs: [] })
      if (url.pathname.endsWith('/status')) return Response.json({ statuses: [] })
      if (!url.pathname.endsWith('/reviews')) return Response.json([])
      const page = Number(url.searchParams.get('page'))
      const size = Number(url.searchParams.get('per_page'))
      asked.push(page)
      const first = (page - 1) * size
      const length = page > PAGES ? 0 : page === PAGES ? size / 2 : size
      const reviews = Array.from({ length }, (_, index) => ({
        id: first + index + 1,
        state: 'COMMENTED',
        body: 'x'.repeat(65_000),
        user: { login: 'ada', type: 'User' },
        author_association: 'MEMBER',
        submitted_at: new Date(NOW - 3_600_000 + (first + index) * 1_000).toISOString(),
      }))
      const last = `<http://github.test/reviews?per_page=${size}&page=${PAGES}>; rel="last"`
      return Response.json(reviews, { headers: saysLast && page < PAGES ? { link: last } : {} })
    },
  })
  return { github, asked }
}

test('many large reviews do not hide newer ones', async () => {
  const { github, asked } = setUp(true)
  const { threads } = await github.readConversation(SHOP, 1, 0)
  const newest = (PAGES - 0.5) * 100
  expect(threads.at(-1)?.key).toBe(`r${newest}`)
  // No more than is kept in memory.
  expect(asked).toEqual([1, PAGES, PAGES - 1])
  expect(threads).toHaveLength(150)
})

test('a host that does not say how many there are is read from the beginning', async () => {
  const { github, asked } = setUp(false)
  const { threads } = await github.readConversation(SHOP, 1, 0)
  expect(asked).toEqual([1])
  expect(threads[0]?.key).toBe('r1')
})

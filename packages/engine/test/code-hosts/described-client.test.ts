import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { GitHub } from '../../src/code-hosts/hosts/github.ts'
import { DescribedRequests } from '../../../server/test/code-hosts/described-requests.ts'

const API = 'http://github.test'
const SHOP = { owner: 'acme', name: 'shop' }
const NO_PLACE = { path: '', line: 0, isOldSide: false, replyTo: '', resolveId: '' }

/** What the client needs to go on. */
function answer(path: string): object {
  if (path.endsWith('/installation')) return { id: 100 }
  if (path.endsWith('/access_tokens'))
    return { token: 'token', repository_selection: 'selected', expires_at: '2026-11-15T12:00:00Z' }
  if (path === '/graphql') return { data: {} }
  if (path.endsWith('/check-runs'))
    return {
      check_runs: [
        { id: 5, name: 'tests', status: 'completed', conclusion: 'failure', app: { slug: 'github-actions' } },
      ],
    }
  if (path.endsWith('/status')) return { statuses: [] }
  if (/\/issues\/\d+$/.test(path))
    return { number: 1, state: 'open', pull_request: {}, user: { login: 'ada' } }
  const head = { ref: 'skein/fix', sha: 'a'.repeat(40), repo: { full_name: 'acme/shop' } }
  const pull = {
    number: 1,
    title: 'Fix',
    state: 'open',
    draft: false,
    head,
    base: { ref: 'main' },
    body: '',
    node_id: 'x',
    html_url: '',
  }
  return /\/pulls(\/\d+)?$/.test(path) ? pull : []
}

test('GitHub describes everything that our client sends', async () => {
  const described = new DescribedRequests(API)
  const sent: string[] = []
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const github = new GitHub({
    apiUrl: API,
    appId: '1',
    privateKey,
    now: () => 1_794_700_000_000,
    fetch: described.through(async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      sent.push(`${init?.method ?? 'GET'} ${pathname}`)
      if (pathname.endsWith('/pulls') && init?.method === 'GET') return Response.json([])
      return Response.json(answer(pathname))
    }),
  })
  const wanted = { title: 'Fix', body: 'Why', head: 'skein/fix', base: 'main', draft: true }
  await github.mintCredential([SHOP])
  await github.findPullRequests(SHOP, wanted)
  await github.openPullRequest(SHOP, wanted)
  await github.readPullRequest(SHOP, 1)
  await github.updatePullRequest(SHOP, 1, { title: 'Other', base: 'next' })
  await github.addLabels(SHOP, 1, ['bug'])
  await github.readPermission(SHOP, 'ada')
  await github.readConversation(SHOP, 1, 1_794_600_000_000)
  await github.postAnswer(SHOP, 1, NO_PLACE, 'Done.')
  await github.postAnswer(SHOP, 1, { ...NO_PLACE, replyTo: '7' }, 'Done.')
  await github.resolveThread(SHOP, 1, { ...NO_PLACE, resolveId: 'thread' })
  await github.requestReview(SHOP, 1, ['ada'])
  await github.markReady(SHOP, 1).catch(() => undefined)
  const issues = await github.issues(SHOP)
  await issues.read(1)
  await issues.comments(1, 1_794_600_000_000)
  await issues.hidden(1)
  await issues.events(1, 1_794_600_000_000)
  await issues.changed(1_794_600_000_000)
  await issues.comment(1, 'Hello.')
  expect([...described.problems]).toEqual([])
  expect(new Set(sent).size).toBeGreaterThan(15)
})

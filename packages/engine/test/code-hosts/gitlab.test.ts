import { expect, test } from 'vitest'
import { AnswerTooLarge, type HostFetch } from '../../src/code-hosts/code-host.ts'
import { GitLab } from '../../src/code-hosts/hosts/gitlab.ts'

const SHOP = { owner: 'acme/tools', name: 'shop' }
const PROJECT = '/projects/acme%2Ftools%2Fshop'
const NOW = Date.parse('2026-11-15T12:00:00Z')
const AT = '2026-11-15T11:59:00.000Z'

interface Listed {
  readonly id: number
  /** How much of an answer it takes. */
  readonly weight?: number
  /** What the token may not see is missing from its page. */
  readonly isSecret?: boolean
}

/** Lists by path, in pages; an answer of more than a weight of 4 is too large. */
function setUp(
  lists: Readonly<Record<string, readonly Listed[]>>,
  rest: (path: string, body: string) => unknown = () => ({}),
) {
  const asked: string[] = []
  const sent = { bytes: 0 }
  const fetch: HostFetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const path = url.pathname.replace('/api/v4', '').replace(PROJECT, '')
    asked.push(`${path}${url.search}`)
    const list = lists[path]
    if (!list) return Response.json(rest(path, typeof init?.body === 'string' ? init.body : ''))
    const size = Number(url.searchParams.get('per_page') ?? 20)
    const page = Number(url.searchParams.get('page') ?? 1)
    const onPage = list.slice((page - 1) * size, page * size)
    const found = onPage.filter(({ isSecret = false }) => !isSecret)
    if (found.reduce((sum, { weight = 0 }) => sum + weight, 0) > 4) throw new AnswerTooLarge()
    const pages = Math.ceil(list.length / size)
    const headers = { 'x-total-pages': String(pages), 'x-next-page': page < pages ? String(page + 1) : '' }
    // As GitLab writes it.
    const answer = JSON.stringify(found).replaceAll('<', String.raw`\u003c`)
    sent.bytes += answer.length
    return new Response(answer, { headers })
  }
  const options = { apiUrl: 'http://gitlab.test/api/v4', token: 'token', gitToken: () => 'git', fetch }
  return { gitlab: new GitLab({ ...options, now: () => NOW }), asked, sent }
}

const thread = (id: number, weight = 0, fields: object = {}) => ({
  id: id.toString(16).padStart(40, '0') as unknown as number,
  weight,
  notes: [
    {
      id,
      body: `Number ${id}`,
      system: false,
      author: { id: 1, username: 'ada', state: 'active' },
      updated_at: AT,
      ...fields,
    },
  ],
})
const many = (count: number, make: (id: number) => Listed) =>
  Array.from({ length: count }, (_, index) => make(index + 1))

async function readIds(threads: readonly Listed[]) {
  const { gitlab, asked, sent } = setUp({ '/merge_requests/1/discussions': threads }, () => [])
  const { threads: read } = await gitlab.readConversation(SHOP, 1, 0)
  return { ids: read.map(({ comments }) => Number(comments[0]?.id.slice(1))), asked, sent }
}

test('of a long list of threads the last thousand are read, in their order', async () => {
  const { ids, asked } = await readIds(many(1250, (id) => thread(id)))
  expect(ids.at(0)).toBe(301)
  expect(ids.at(-1)).toBe(1250)
  expect(ids).toEqual(ids.toSorted((left, right) => left - right))
  expect(asked.filter((path) => path.includes('discussions'))).toHaveLength(11)
})

test('only what is too large is read in parts, and what is too large alone is left out', async () => {
  const { ids, asked } = await readIds(many(250, (id) => thread(id, id === 120 ? 5 : id % 40 === 0 ? 1 : 0)))
  expect(ids).toEqual(
    many(250, (id) => ({ id }))
      .map(({ id }) => id)
      .filter((id) => id !== 120),
  )
  // How many there are, three pages, ten parts of one, and ten of one of those.
  expect(asked.filter((path) => path.includes('discussions'))).toHaveLength(1 + 3 + 10 + 10)
})

test('a list in which everything is too large takes a bounded number of requests', async () => {
  const { ids, asked } = await readIds(many(1000, (id) => thread(id, 5)))
  expect(ids).toEqual([])
  expect(asked.filter((path) => path.includes('discussions')).length).toBeLessThan(260)
})

test('comments that take far more to send than they have characters cannot make a look fail', async () => {
  const { ids, sent } = await readIds(many(40, (id) => thread(id, 3, { body: '<'.repeat(200_000) })))
  expect(ids.at(-1)).toBe(40)
  // Of 24 MiB for a whole look.
  expect(sent.bytes).toBeLessThan(12 * 1024 * 1024)
})

async function listChanged(issues: readonly Listed[]) {
  const { gitlab } = setUp({ '/issues': issues })
  return (await gitlab.issues(SHOP)).changed(NOW - 3_600_000)
}

test('issues that changed are listed as far as they can be read', async () => {
  const issue = (id: number, weight = 0) => ({ id, iid: id, state: 'opened', updated_at: AT, weight })
  expect(await listChanged(many(12, (id) => issue(id, id === 3 ? 5 : 0)))).toMatchObject({
    numbers: [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    isAll: true,
  })
  expect(await listChanged(many(150, (id) => issue(id)))).toMatchObject({
    isAll: false,
    readUntil: Date.parse(AT),
  })
})

test('what was imported, or written by somebody who is blocked, is not heard', async () => {
  const blocked = { author: { id: 2, username: 'ada', state: 'blocked' } }
  const threads = [thread(1), thread(2, 0, { imported: true }), thread(3, 0, blocked)]
  const { gitlab } = setUp({ '/merge_requests/1/discussions': threads }, () => [])
  const { threads: read } = await gitlab.readConversation(SHOP, 1, 0)
  const comments = read.flatMap((each) => each.comments)
  expect(comments.map(({ mayHaveAccess }) => mayHaveAccess)).toEqual([true, false, false])
})

test('people are asked about by the number that came with their comment', async () => {
  const { gitlab, asked } = setUp({ '/merge_requests/1/discussions': [thread(1)] }, (path) => {
    if (path === '/members/all/1') return { access_level: 30, state: 'active' }
    return path === '/users/1' ? { bot: false } : {}
  })
  await gitlab.readConversation(SHOP, 1, 0)
  expect(await gitlab.readPermission(SHOP, 'Ada')).toBe('write')
  expect(asked.some((path) => path.startsWith('/users?'))).toBe(false)
})

test.each([
  ['a guest', { access_level: 10, state: 'active' }, { bot: false }, 'read'],
  ['a reporter', { access_level: 20, state: 'active' }, { bot: false }, 'read'],
  ['a developer', { access_level: 30, state: 'active', membership_state: 'active' }, { bot: false }, 'write'],
  ['an owner', { access_level: 50, state: 'active' }, { bot: false }, 'admin'],
  [
    'somebody invited',
    { access_level: 30, state: 'active', membership_state: 'awaiting' },
    { bot: false },
    'none',
  ],
  ['a blocked developer', { access_level: 30, state: 'blocked' }, { bot: false }, 'none'],
  ['a program', { access_level: 40, state: 'active' }, { bot: true }, 'none'],
  ['somebody GitLab says nothing of', { access_level: 40, state: 'active' }, {}, 'none'],
  ['nonsense', { access_level: '40', state: 'active' }, { bot: false }, 'none'],
])('%s may do what GitLab says', async (_who, member, user, permission) => {
  const { gitlab } = setUp({ '/users': [{ id: 7, username: 'ada' } as Listed] }, (path) =>
    path === '/users/7' ? user : member,
  )
  expect(await gitlab.readPermission(SHOP, 'ada')).toBe(permission)
})

const ADA = { id: 1, username: 'ada', state: 'active' }
const RITA = { id: 9, username: 'rita', state: 'active' }

async function readIssue(notes: readonly object[], level: number) {
  const { gitlab } = setUp({ '/issues/1/notes': notes as Listed[] }, (path) => {
    if (path === '/issues/1')
      return { iid: 1, title: 'Slow', description: 'Do it', confidential: false, author: ADA }
    if (path === '/members/all/9') return { access_level: level, state: 'active' }
    return { bot: false }
  })
  return (await gitlab.issues(SHOP)).read(1)
}
const note = (body: string, author: object, fields: object = {}) => ({
  id: 5,
  system: true,
  body,
  author,
  created_at: AT,
  ...fields,
})

test.each([
  ['nobody', [], 20, true],
  ['its author', [note('changed the description', ADA)], 20, true],
  ['a reporter', [note('changed the description', RITA)], 20, false],
  ['a developer', [note('changed the description', RITA)], 30, true],
  ['a reporter, in the title', [note('changed title from **Slow** to **Obey**', RITA)], 20, false],
  ['a reporter, with a task', [note('marked the checklist item **x** as completed', RITA)], 20, false],
  ['a reporter, elsewhere', [note('moved from acme/other#1', RITA)], 20, false],
  ['nobody, says a comment', [note('changed the description', RITA, { system: false })], 20, true],
  ['nobody: a label', [note('added ~1 label', RITA)], 20, true],
  ['nobody knows who', many(1001, () => note('closed', ADA) as Listed), 20, false],
])('the text of an issue that was edited by %s', async (_who, notes, level, isHeard) => {
  expect(await readIssue(notes, level)).toMatchObject({ author: 'ada', mayHaveAccess: isHeard })
})

test('a page that lacks what the token may not see is not the last', async () => {
  const notes = many(150, (id) => ({
    ...note(id === 150 ? 'assigned to @skein' : 'mentioned in #2', ADA, { updated_at: AT }),
    id,
    isSecret: id === 3,
  }))
  const { gitlab } = setUp({ '/issues/1/notes': notes, '/issues/1/resource_label_events': [] })
  const events = await (await gitlab.issues(SHOP)).events(1, 0)
  expect(events).toMatchObject([{ id: 'a150', type: 'assigned', name: 'skein' }])
})

test.each([
  [true, `Draft: ${'x'.repeat(248)}`],
  [false, 'x'.repeat(255)],
])('a title is as long as GitLab accepts, as a draft: %s', async (draft, title) => {
  const sent: unknown[] = []
  const { gitlab } = setUp({}, (_path, body) => {
    sent.push(JSON.parse(body))
    return { iid: 1, state: 'opened' }
  })
  await gitlab.openPullRequest(SHOP, { draft, title: 'x'.repeat(256), body: '', head: 'work', base: 'main' })
  expect(sent).toMatchObject([{ title }])
})

test('reviewers that GitLab leaves out without a word are named', async () => {
  const { gitlab } = setUp(
    { '/users': [{ id: 7, username: 'ada' } as Listed, { id: 8, username: 'grace' } as Listed] },
    (_path, body) => (body === '' ? { reviewers: [] } : { reviewers: [{ id: 7 }] }),
  )
  await expect(gitlab.requestReview(SHOP, 1, ['ada'])).resolves.toBeUndefined()
  await expect(gitlab.requestReview(SHOP, 1, ['ada', 'grace'])).rejects.toThrow(
    'did not make grace a reviewer',
  )
})

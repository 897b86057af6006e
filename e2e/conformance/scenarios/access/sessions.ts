import { randomBytes, randomUUID } from 'node:crypto'
import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'

interface Session {
  id: string
  token: string
  isCurrent: boolean
}

/** Signs a browser in and returns the headers its pages send. */
async function signIn(api: Api, apiKey: string) {
  const pageSecret = randomBytes(32).toString('base64url')
  const origin = { origin: new URL(api.service.baseUrl).origin }
  const options = { key: null, headers: origin }
  const answer = await api.post('/v1/session', { apiKey, pageSecret }, options)
  const cookie = answer.headers.get('set-cookie') ?? ''
  const headers = { ...origin, cookie: cookie.split(';')[0] ?? '', 'x-skein-page-secret': pageSecret }
  return { answer, cookie, browser: { key: null, headers } }
}

export async function sessions(book: Book, api: Api): Promise<void> {
  const key = await api.keyFor('browsing', { account: 'browser-user', role: 'member' })
  const { answer, cookie, browser } = await signIn(api, key)
  book.ok('a key can be exchanged for a session', answer)
  book.row(
    'its cookie is out of reach of scripts and other sites',
    /HttpOnly/.test(cookie) && /SameSite=Strict/.test(cookie),
    cookie,
  )
  book.row('the key is not in it', !cookie.includes(key) && !answer.text.includes(key))
  book.equal('the session is the key’s owner', (await api.whoami(browser)).json.account, 'browser-user')
  const bare = { key: null, headers: { cookie: browser.headers.cookie } }
  book.unauthenticated(
    'the cookie alone, without the page’s secret, is UNAUTHENTICATED',
    await api.whoami(bare),
  )
  const runner = await api.keyFor('browsing-runner', { account: 'r', role: 'runner', pools: ['default'] })
  const refused = (await signIn(api, runner)).answer
  book.row(
    'the key of a runner cannot sign in',
    refused.status === 401 || refused.status === 403,
    shown(refused),
  )
  book.unauthenticated('a wrong key cannot sign in', (await signIn(api, `${key}x`)).answer)

  const other = await signIn(api, key)
  const list = async (options = { key }) =>
    (await api.get<{ sessions: Session[] }>('/v1/sessions', options)).json.sessions
  book.equal(
    'sessions are listed newest first, with the token that opened them',
    (await list()).map(({ token, isCurrent }) => [token, isCurrent]),
    [
      ['browsing', false],
      ['browsing', false],
    ],
  )
  const [newest] = await list()
  book.ok(
    'one can be ended by its id',
    await api.call('DELETE', `/v1/sessions/${newest?.id}`, undefined, { key }),
  )
  book.unauthenticated('… and does not work any more', await api.whoami(other.browser))
  book.ok('… while the others do', await api.whoami(browser))
  book.notFound(
    'a session that does not exist is NOT_FOUND',
    await api.call('DELETE', `/v1/sessions/${randomUUID()}`, undefined, { key }),
  )
  const [left] = await list()
  book.notFound('somebody else’s session is NOT_FOUND', await api.call('DELETE', `/v1/sessions/${left?.id}`))
  book.invalid(
    'an id that cannot be one is INVALID_ARGUMENT',
    await api.call('DELETE', '/v1/sessions/nonsense', undefined, { key }),
  )
  await links(book, api, key)
  book.ok('a browser can sign out', await api.call('DELETE', '/v1/session', undefined, browser))
  book.unauthenticated('… and its cookie does not work any more', await api.whoami(browser))
}

async function links(book: Book, api: Api, key: string): Promise<void> {
  const link = await api.post<{ url: string; expireTime: string }>('/v1/session/links', undefined, { key })
  const code = new URL(link.json.url).hash.slice(1)
  const opened = await signIn(api, code)
  book.ok('a link signs a browser in', opened.answer)
  book.equal('… as who made it', (await api.whoami(opened.browser)).json.account, 'browser-user')
  book.unauthenticated('… once', (await signIn(api, code)).answer)
  book.unauthenticated('its code is no key', await api.whoami({ key: code }))
}

import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Skein } from '../src/index.ts'

let server: TestServer
let tenant: TestTenant
let baseUrl: string

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant()
  baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => server.close())

/** As a browser does for a page of the service: keeps the cookie, and sends it where the page may use it. */
function browser() {
  const sent: RequestInit[] = []
  let cookie = ''
  const send: typeof fetch = async (url, init = {}) => {
    sent.push(init)
    const headers = new Headers(init.headers)
    headers.set('sec-fetch-site', 'same-origin')
    if (cookie !== '' && init.credentials === 'same-origin') headers.set('cookie', cookie)
    const answer = await fetch(url, { ...init, headers })
    for (const text of answer.headers.getSetCookie()) cookie = text.split(';', 1)[0] ?? ''
    return answer
  }
  return { send, sent }
}

test('a page without a key uses the session that it signed in to, until it signs out', async () => {
  const { send, sent } = browser()
  const page = new Skein({ baseUrl, fetch: send })
  await expect(page.whoami()).rejects.toMatchObject({ reason: 'CREDENTIAL_MISSING' })
  const { identity, expireTime } = await page.signIn(tenant.admin.key ?? '')
  expect(identity).toMatchObject({ account: 'ada', role: 'admin' })
  expect(Date.parse(expireTime)).toBeGreaterThan(Date.now())
  expect(await page.whoami()).toEqual(identity)
  const agent = await page.spawn({ name: 'from-a-page', description: 'Work.' })
  expect((await agent.status()).phase).toBe('PHASE_PENDING')
  expect(sent.some(({ headers }) => new Headers(headers).has('authorization'))).toBe(false)
  await page.signOut({ everywhere: true })
  await expect(page.whoami()).rejects.toMatchObject({ reason: 'CREDENTIAL_INVALID' })
})

test('a page with the key of a share link shows the shared agent, and leaves the session alone', async () => {
  await tenant.admin.write('workspace', 'shop', {})
  const owner = new Skein({ baseUrl, apiKey: tenant.admin.key })
  const { name } = await owner.spawn({ name: 'shown', workspace: 'shop', description: 'Work.' })
  const link = { workspace: 'shop', agent: ['shown'], account: 'ada' }
  const { document } = await tenant.admin.write('share-link', 'customer', link)
  const { send, sent } = browser()
  const guest = new Skein({ baseUrl, apiKey: String(document['key']), fetch: send })
  const { agentId } = await guest.share()
  expect(owner.agent(agentId).name).toBe(name)
  expect((await guest.agent(agentId).status()).agentId).toEqual(agentId)
  expect(sent.every(({ credentials }) => credentials === 'omit')).toBe(true)
})

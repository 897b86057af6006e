import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers, signIn } from './dashboard-world.ts'

let world: DashboardWorld
/** Where an attacker wants people to end up. */
let phish: Server
let port: number
const visits: string[] = []

beforeAll(async () => {
  phish = createServer((request, response) => {
    visits.push(request.url ?? '')
    response.end('not Skein')
  })
  await new Promise<void>((resolve) => phish.listen(0, '127.0.0.1', resolve))
  port = (phish.address() as AddressInfo).port
  world = await DashboardWorld.start()
})

afterAll(async () => {
  await world.stop()
  await new Promise((resolve) => phish.close(resolve))
})

test('a link to an agent leads through the sign-in to that agent', async () => {
  await world.skein.spawn({ name: 'deep', workspace: 'sample', description: 'Write a haiku.' })
  const { dashboardUrl } = await world.skein.agent('sample/deep').status()
  const page = await world.openPage()
  await page.goto(dashboardUrl)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /deep/ }).waitFor()
  expect(page.url()).toBe(dashboardUrl)
  await closeProfile(page)
})

test('the link that skein dev prints signs a browser in, once', async () => {
  const page = await world.openPage()
  await page.goto(world.dev.signInUrl)
  await page.getByText('signs you in as the account that created it').waitFor()
  expect(page.url()).not.toContain('skc_')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${world.baseUrl}/`)
  await closeProfile(page)
  const second = await world.openPage()
  await second.goto(world.dev.signInUrl)
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.getByRole('alert').waitFor()
  await second.getByRole('button', { name: 'Use an API key instead' }).click()
  await second.getByLabel('API key').waitFor()
  await closeProfile(second)
})

test('a wrong key is refused with what to do, and the page stays usable by keyboard', async () => {
  const page = await world.openPage()
  await page.goto('/sign-in')
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.type('skn_wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('API key').inputValue()).toBe('skn_wrong')
  await closeProfile(page)
})

test('the key is nowhere in the browser, and the cookie is out of reach of scripts', async () => {
  const page = await world.openSignedIn()
  const kept = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]),
  )
  expect(kept).not.toContain('skn_')
  const cookies = await page.context().cookies()
  expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
    { httpOnly: true, sameSite: 'Strict' },
  ])
  expect(JSON.stringify(cookies)).not.toContain(world.apiKey)
  await closeProfile(page)
})

test('a server on another port of the host gets the cookie, and can do nothing with it', async () => {
  const received: string[] = []
  const other = createServer((request, response) => {
    received.push(request.headers.cookie ?? '')
    response.end('<script>document.title = JSON.stringify({ ...localStorage })</script>')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const page = await world.openSignedIn()
  const tab = await page.context().newPage()
  await tab.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  expect(received[0]).toContain('skein=')
  expect(await tab.title()).toBe('{}')
  const headers = { cookie: received[0] ?? '', 'sec-fetch-site': 'same-origin', origin: world.baseUrl }
  const whoami = await fetch(`${world.baseUrl}/v1/whoami`, { headers })
  const kill = await fetch(`${world.baseUrl}/v1/agent/kill`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-skein-page-secret': 'x'.repeat(64) },
    body: JSON.stringify({ agentId: { workspace: 'sample', agent: ['deep'] } }),
  })
  expect([whoami.status, kill.status]).toEqual([401, 401])
  // A reload and a new tab of ours go on with the session.
  await page.reload()
  await page.getByRole('button', { name: /dev/ }).waitFor()
  await tab.goto('/catalog')
  await tab.getByRole('button', { name: /dev/ }).waitFor()
  await closeProfile(page)
  await new Promise((resolve) => other.close(resolve))
})

test('after signing out, the same cookie opens nothing, wherever it was copied to', async () => {
  const page = await world.openPage()
  await signIn(page, world.apiKey)
  const [cookie] = await page.context().cookies()
  const secret = await page.evaluate(() => localStorage.getItem('skein-page-secret'))
  await page.getByRole('button', { name: /dev/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.waitForURL((url) => url.pathname === '/sign-in')
  const answer = await fetch(`${world.baseUrl}/v1/whoami`, {
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'x-skein-page-secret': secret ?? '' },
  })
  expect(secret).toHaveLength(64)
  expect(answer.status).toBe(401)
  await closeProfile(page)
})

test('a session that is ended elsewhere leads to the sign-in, and back to where one was', async () => {
  const page = await world.openSignedIn('/catalog')
  const other = await world.openPage()
  await signIn(other, world.apiKey)
  await other.getByRole('button', { name: /dev/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
  await other.waitForURL((url) => url.pathname === '/sign-in')
  await page.waitForURL((url) => url.pathname === '/sign-in', { timeout: 20_000 })
  expect(new URL(page.url()).searchParams.get('next')).toBe('/catalog')
  await closeProfile(other)
  await closeProfile(page)
})

test('what one person read is never shown to the next, not even until the first response', async () => {
  const { document } = await world.skein.catalog.put('token', 'eve', { account: 'eve', role: 'viewer' })
  const page = await world.openSignedIn('/catalog/token')
  await page.getByText('eve').first().waitFor()
  await page.context().clearCookies()
  await page.waitForURL((url) => url.pathname === '/sign-in', { timeout: 20_000 })
  await page.route('**/v1/catalog/**', () => undefined)
  await page.getByLabel('API key').fill(String(document['key']))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /eve/ }).waitFor()
  await page.getByText('Loading').first().waitFor()
  expect(await page.getByRole('main').getByText('eve').count()).toBe(0)
  await closeProfile(page)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

/** One of each kind; own-path.test.ts tries thousands more. */
const hostile: readonly ((place: string) => string)[] = [
  (place) => `http://${place}`,
  (place) => `//${place}`,
  (place) => `/\\${place}`,
  (place) => `/.//${place}`,
  (place) => `/\t/${place}`,
  (place) => `/%2f${place}`,
  (place) => `\u0001http://${place}`,
  () => 'javascript:document.title="taken"',
]

test('whatever `next` says, a sign-in leads to a page of the service itself', async () => {
  const page = await world.openPage()
  for (const write of hostile) {
    const next = write(`127.0.0.1:${port}/phish`)
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByLabel('API key').fill(world.apiKey)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== '/sign-in')
    await page.waitForLoadState()
    expect({ next, origin: new URL(page.url()).origin }).toEqual({ next, origin: world.baseUrl })
    expect(await page.title()).not.toBe('taken')
  }
  expect(visits).toEqual([])
  await closeProfile(page)
})

test('`next` given twice is ignored', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?next=/catalog&next=//127.0.0.1:${port}/phish`)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  expect(page.url()).toBe(`${world.baseUrl}/`)
  await closeProfile(page)
})

test('a page with a query and a fragment is come back to', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?next=${encodeURIComponent('/audit?kind=token#top')}`)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  expect(page.url()).toBe(`${world.baseUrl}/audit?kind=token#top`)
  await closeProfile(page)
})

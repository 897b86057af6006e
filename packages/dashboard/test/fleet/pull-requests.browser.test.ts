import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from '../../../server/test/agents/agent-world.ts'
import { launchChromium } from '../chromium.ts'
import { findBarriers, signIn } from '../dashboard-world.ts'

/** For people to look at: SKEIN_SCREENSHOTS=folder. */
const pictures = process.env['SKEIN_SCREENSHOTS']

let server: TestServer
let tenant: TestTenant
let browser: Browser
let baseURL: string
const complaints: string[] = []

const PULLS = [
  { agent: 'asks', number: 12, isDraft: false, review: '{"checks":"failing","rounds":2,"phase":"working"}' },
  { agent: 'rests', number: 1307, isDraft: true, review: '{"checks":"pending"}' },
  { agent: 'works', number: 14, isDraft: false, review: '{"checks":"passing","rounds":5,"phase":"stopped"}' },
] as const

const PROBLEM =
  'The code host refused (status 404: Not Found). Check that the repository exists, and that the credential of the code host github may read its issues.'

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant()
  const world = await AgentWorld.in(server, tenant)
  const asks = await world.running('asks', { tasks: [{ subject: 'One' }, { subject: 'Two' }] })
  await world.complete(asks.run, { reason: 'asked', message: '', needsInput: 'Which one?' })
  await world.resting('rests')
  await world.running('works')
  await world.spawn('plain')
  for (const { agent, number, isDraft, review } of PULLS) {
    await world.sql(
      `insert into pull_request (tenant_id, name, agent_id, workspace, account, agent, code_host, owner, repository,
         number, url, title, state, is_draft, head, base, created_at, updated_at, look_at, is_conflicting, review)
       select tenant_id, 'shop-' || $2::int, id, workspace, account, $1, 'github', 'acme', 'shop', $2::int,
         'https://x.test/' || $2::int, 'Retry the <b>download</b>', 'open', $3, 'skein/fix', 'main', now(), now(),
         'infinity', $1 = 'asks', $4::jsonb from agent where key like '%/' || $1`,
      [agent, number, isDraft, review],
    )
  }
  await world.sql(
    `insert into host_watch (tenant_id, workspace, code_host, owner, repository, problem, failures, look_at)
     values ($1, 'default', 'github', 'acme', 'shop', $2, 3, 'infinity'), ($1, 'default', 'github', 'acme', 'web', '', 0, 'infinity')`,
    [tenant.id, PROBLEM],
  )
  baseURL = await server.app.listen({ port: 0, host: '127.0.0.1' })
  browser = await launchChromium()
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })
})

afterAll(async () => {
  await browser.close()
  await server.close()
})

async function open(path: string, width: number, isDark = false): Promise<Page> {
  const colorScheme = isDark ? 'dark' : 'light'
  const context = await browser.newContext({ baseURL, viewport: { width, height: 844 }, colorScheme })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  await signIn(page, tenant.admin.key ?? '')
  await page.goto(path)
  return page
}

/** What keeps people from reading the page. */
async function look(page: Page, name: string): Promise<{ tooWide: number; barriers: string[] }> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
  const { width = 0 } = page.viewportSize() ?? {}
  const tooWide = (await page.evaluate(() => document.documentElement.scrollWidth)) - width
  const barriers = await findBarriers(page)
  await page.context().close()
  return { tooWide, barriers }
}

const FINE = { tooWide: 0, barriers: [] }

const ASKS =
  '#12 Retry the <b>download</b>: open, checks fail, conflicts, the agent works on the reviews · 2 rounds'

test('the fleet shows the pull request of each agent that has one', async () => {
  const page = await open('/', 1440)
  const link = page.getByRole('link', { name: ASKS })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe('https://x.test/12')
  expect(await page.getByRole('columnheader', { name: 'Pull request' }).count()).toBe(1)
  expect(await page.getByRole('link', { name: /^#/ }).count()).toBe(3)
  expect(await look(page, 'fleet-pulls-wide')).toEqual(FINE)
})

test('the tree and narrow windows show it too', async () => {
  const tree = await open('/?view=tree', 1024, true)
  await tree.getByRole('link', { name: ASKS }).waitFor()
  expect(await look(tree, 'fleet-pulls-tree-dark')).toEqual(FINE)
  const narrow = await open('/', 780)
  await narrow.getByRole('link', { name: ASKS }).waitFor()
  expect(await look(narrow, 'fleet-pulls-narrow')).toEqual(FINE)
})

test('a phone shows it on the cards of the fleet', async () => {
  const page = await open('/', 390)
  const cards = page.getByRole('list', { name: 'Agents' })
  await cards.getByText(ASKS).waitFor()
  expect(await look(page, 'fleet-pulls-phone')).toEqual(FINE)
})

test('the inbox shows the pull request beside the question, on every width', async () => {
  for (const [width, name] of [
    [1440, 'inbox-pulls-wide'],
    [390, 'inbox-pulls-phone'],
  ] as const) {
    const page = await open('/inbox', width)
    const card = page.getByRole('article', { name: 'Question from default/asks' })
    await card.getByRole('link', { name: '#12 Retry the <b>download</b>' }).waitFor()
    for (const mark of ['open', 'checks fail', 'conflicts', 'the agent works on the reviews · 2 rounds'])
      await card.getByText(mark, { exact: true }).waitFor()
    const resting = page.getByRole('link', { name: /default\/rests/ })
    await resting.getByText('#1307 Retry').waitFor()
    await resting.getByText('draft', { exact: true }).waitFor()
    expect(await look(page, name)).toEqual(FINE)
  }
})

test('a repository whose issues cannot be read says why, and what to do', async () => {
  for (const [width, name] of [
    [1440, 'code-hosts-wide'],
    [390, 'code-hosts-phone'],
  ] as const) {
    const page = await open('/automations?tab=code-hosts', width)
    await page.getByText(PROBLEM).waitFor()
    const works = page.getByRole('row').filter({ hasText: 'acme/web' })
    await works.getByText('Works', { exact: true }).waitFor()
    expect(await look(page, name)).toEqual(FINE)
  }
})

test('no page complained', () => {
  expect(complaints).toEqual([])
})

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentId } from '@skein/contract'
import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../../../server/test/agents/agent-world.ts'
import { launchChromium } from '../chromium.ts'
import { findBarriers, signIn } from '../dashboard-world.ts'
import { loseAnswers } from '../lose-answers.ts'

/** For people to look at: SKEIN_SCREENSHOTS=folder. */
const pictures = process.env['SKEIN_SCREENSHOTS']
/** By the page's own CPU time, on a machine that others use too. */
const MAX_TASK_MS = 200

const PATCH =
  '@@ -1,3 +1,4 @@ function get()\n one\n-two\n+2\n+three \u202e hidden\n four\n\\ No newline at end of file\n'
const HOSTILE = 'src/<img src=x onerror=alert(1)>\n\u202egnp.ts'
const LARGE = `@@ -0,0 +1,42000 @@\n${'+const value = "0123456789abcdef0123456789ab" // a line\n'.repeat(40_000)}`

let world: AgentWorld
let server: TestServer
let tenant: TestTenant
let browser: Browser
let agentId: AgentId
let baseURL: string
const complaints: string[] = []

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant()
  world = await AgentWorld.in(server, tenant)
  const started = await world.running('fix')
  agentId = started.agentId
  const { lease } = started.run
  const file = {
    oldPath: '',
    change: 'modified',
    kind: 'text',
    added: 2,
    removed: 1,
    isOmitted: false,
    patch: PATCH,
  }
  const files = [
    { ...file, path: HOSTILE },
    { ...file, path: 'big.ts', change: 'added', added: 40_000, removed: 0, patch: LARGE },
    { ...file, path: 'line.txt', patch: `@@ -0,0 +1 @@\n+${'a'.repeat(500_000)}\n` },
    { ...file, path: 'logo.png', kind: 'binary', patch: '' },
    { ...file, path: 'omitted.ts', patch: '', isOmitted: true },
    ...Array.from({ length: 300 }, (_, at) => ({
      ...file,
      path: `src/some/deep/folder/with/files/${at}.ts`,
    })),
  ]
  const facts = { repo: 'https://git.example.com/acme/shop.git', branch: 'skein/fix', baseBranch: 'main' }
  const sum = { fileCount: 1305, added: 40_604, removed: 301 }
  const commit = 'a'.repeat(40)
  const whole = { lease, ...facts, ...sum, commit, scope: 'branch', baseCommit: 'b'.repeat(40), files }
  must(await world.runner.post('/v1/runner/diff', whole))
  const push = { ...whole, scope: 'push', baseCommit: 'c'.repeat(40), fileCount: 1, files: files.slice(0, 1) }
  must(await world.runner.post('/v1/runner/diff', push))
  const event = {
    type: 'run.pushed',
    repo: facts.repo,
    ref: 'refs/heads/skein/fix',
    commit,
    files: ['big.ts'],
  }
  must(await world.beat(started.run, { reportId: crypto.randomUUID(), events: [event] }))
  await world.sql(
    `insert into pull_request (tenant_id, name, agent_id, workspace, account, agent, code_host, owner, repository,
       number, url, title, state, is_draft, head, base, created_at, updated_at, look_at, is_conflicting, review)
     values ($1, 'shop-12', $2, 'default', 'ada', 'fix', 'github', 'acme', 'shop', 12, 'https://x.test/12',
       'Retry the <b>download</b>', 'open', false, 'skein/fix', 'main', now(), now(), 'infinity', true,
       '{"checks":"failing","rounds":2}')`,
    [tenant.id, lease.split('.')[1]],
  )
  baseURL = await server.app.listen({ port: 0, host: '127.0.0.1' })
  browser = await launchChromium()
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })
})

afterAll(async () => {
  await browser.close()
  await server.close()
})

async function open(width: number, isDark = false): Promise<Page> {
  const colorScheme = isDark ? 'dark' : 'light'
  const context = await browser.newContext({ baseURL, viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  await signIn(page, tenant.admin.key ?? '')
  const provider = agentId.ownerProvider.replace('PROVIDER_', '').toLowerCase()
  await page.goto(`/agents/${provider}/${agentId.account}/${agentId.workspace}/fix?tab=changes`)
  return page
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** The longest task of the page's main thread while something is done. */
async function longestTaskDuring(page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await act()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    readonly traceEvents: readonly {
      name: string
      pid: number
      tid: number
      tdur?: number
      args?: { name?: string }
    }[]
  }
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && main.has(`${pid}/${tid}`))
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000)
}

test('one reads what an agent pushed, file by file, and nothing in it is obeyed', async () => {
  const page = await open(1440)
  const view = page.getByRole('region', { name: /^Changes in src/ })
  await view.getByText('three ⟨202E⟩ hidden').waitFor()
  await page.getByText('1,000 more files are not listed').waitFor()
  await page.getByText('No newline at end of file').waitFor()
  const card = page.getByRole('list', { name: 'Pull requests' })
  await card.getByRole('link', { name: '#12 Retry the <b>download</b>' }).waitFor()
  for (const mark of ['open', 'checks fail', 'conflicts', 'waiting for reviews · 2 rounds'])
    await card.getByText(mark, { exact: true }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await picture(page, 'changes-wide-light')
  const list = page.getByRole('region', { name: 'Changed files' })
  await list.getByRole('button', { name: /logo\.png/ }).click()
  await page.getByText('A binary file').waitFor()
  await list.getByRole('button', { name: /omitted\.ts/ }).click()
  await page.getByText('The diff is too large to show this file').waitFor()
  await list.getByRole('button', { name: /line\.txt/ }).click()
  await page.getByText('and 499,000 more characters').waitFor()
  await page.getByLabel('What to compare').selectOption({ label: 'skein/fix: push aaaaaaaa' })
  await view.waitFor()
  expect(await list.getByRole('button').count()).toBe(1)
  await page.context().close()
})

test('a comment on a line reaches the agent once, even if its answer is lost and it is sent again', async () => {
  const page = await open(1440)
  await page.getByRole('button', { name: 'Comment on line 3' }).click()
  await page.getByLabel('Comment on line 3', { exact: true }).last().fill('Why three?')
  expect(await findBarriers(page)).toEqual([])
  await picture(page, 'changes-comment')
  const restore = await loseAnswers(page)
  await page.getByRole('button', { name: 'Send to the agent' }).click()
  await page.getByRole('form', { name: 'Comment' }).getByRole('alert').waitFor()
  await restore()
  await page.getByRole('button', { name: 'Send to the agent' }).click()
  await page.getByText('Sent to the agent.', { exact: true }).waitFor()
  const { followUps } = await world.status(agentId)
  expect(followUps.map(({ description }) => description.includes('Why three?'))).toEqual([true])
  await page.context().close()
})

test('300 files and one of two megabytes stay smooth', async () => {
  const page = await open(1440)
  await page.getByRole('region', { name: /^Changes in src/ }).waitFor()
  const list = page.getByRole('region', { name: 'Changed files' })
  const big = page.getByRole('region', { name: 'Changes in big.ts' })
  const longest = await longestTaskDuring(page, async () => {
    await list.getByRole('button', { name: /big\.ts/ }).click()
    await big.waitFor()
    for (let step = 1; step <= 8; step += 1)
      await big.evaluate((element, part) => void (element.scrollTop = element.scrollHeight * part), step / 8)
    await big.getByText('40000', { exact: true }).waitFor()
    await list.evaluate((element) => void (element.scrollTop = element.scrollHeight))
    await list.getByRole('button', { name: /299\.ts/ }).waitFor()
  })
  await big.locator('span.text-accent-text').first().waitFor()
  expect(await findBarriers(page)).toEqual([])
  await picture(page, 'changes-highlighted')
  console.log(JSON.stringify({ longestTaskMs: longest }))
  expect(longest).toBeLessThan(MAX_TASK_MS)
  expect(await big.locator('> div > div').count()).toBeLessThan(120)
  await page.context().close()
})

test('on a phone one chooses a file and goes back', async () => {
  const page = await open(390, true)
  const list = page.getByRole('region', { name: 'Changed files' })
  await list.getByRole('button', { name: /img/ }).waitFor()
  await picture(page, 'changes-phone-dark-list')
  await list.getByRole('button', { name: /img/ }).click()
  await page.getByText('three ⟨202E⟩ hidden').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await picture(page, 'changes-phone-dark')
  await page.getByRole('button', { name: 'All files' }).click()
  await list.waitFor()
  await page.context().close()
})

test('no page complained', () => {
  expect(complaints).toEqual([])
})

import { startTestServer, type TestServer } from '@skein/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { signIn } from '../dashboard-world.ts'
import { seedThousands } from './fleet-of-thousands.ts'

const AGENTS = 10_000
const MAX_FIRST_CONTENT_MS = 2_000
const MAX_TASK_MS = 100
const MAX_CLICK_MS = 250

let server: TestServer
let browser: Browser
let page: Page

beforeAll(async () => {
  const folder = process.env['SKEIN_DASHBOARD_DIR']
  server = await startTestServer(folder === undefined ? {} : { settings: { SKEIN_DASHBOARD_DIR: folder } })
  const tenant = await server.createTenant()
  await seedThousands(server, tenant, AGENTS)
  const baseURL = await server.app.listen({ port: 0, host: '127.0.0.1' })
  browser = await launchChromium()
  page = await (await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } })).newPage()
  await page.addInitScript(recordFirstRow)
  await signIn(page, tenant.admin.key ?? '')
})

afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Runs in the page, before anything else. */
function recordFirstRow(): void {
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('table[aria-rowcount] tbody a') === null) return
    performance.mark('first-row')
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
}

interface Task {
  /** What it took by the clock, others of the same machine included. */
  readonly wallMs: number
  /** What the page itself took. */
  readonly cpuMs: number
}

/** The longest task of the page's main thread while something is done. */
async function longestTaskDuring(act: () => Promise<void>): Promise<Task> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await act()
  await settle()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as Trace
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid}/${tid}`))
  expect(tasks.length).toBeGreaterThan(0)
  return {
    wallMs: Math.round(Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1000),
    cpuMs: Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000),
  }
}

/** By the clock, the best of a few: what others take of the machine is not there each time, what the page takes is. */
async function longestTaskOfRounds(act: () => Promise<void>): Promise<Task> {
  const rounds = [await longestTaskDuring(act)]
  while (rounds.length < 3 && Math.min(...rounds.map(({ wallMs }) => wallMs)) >= MAX_TASK_MS)
    rounds.push(await longestTaskDuring(act))
  return {
    wallMs: Math.min(...rounds.map(({ wallMs }) => wallMs)),
    cpuMs: Math.max(...rounds.map(({ cpuMs }) => cpuMs)),
  }
}

/** Times are microseconds. */
interface Trace {
  readonly traceEvents: readonly {
    readonly name: string
    readonly pid: number
    readonly tid: number
    readonly dur?: number
    readonly tdur?: number
    readonly args?: { readonly name?: string }
  }[]
}

/** Until two frames were drawn with nothing left to do in between. */
async function settle(): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestIdleCallback(() => requestIdleCallback(() => resolve(), { timeout: 1000 }), { timeout: 1000 })
      }),
  )
}

async function rowCount(): Promise<number> {
  return Number(await page.locator('table[aria-rowcount]').getAttribute('aria-rowcount')) - 1
}

test('ten thousand agents are there soon and stay smooth', async () => {
  await page.goto('/')
  await page.locator('table[aria-rowcount] tbody a').first().waitFor()
  const firstRowMs = await page.evaluate(
    () => performance.getEntriesByName('first-row')[0]?.startTime ?? Infinity,
  )
  const loading = await longestTaskDuring(async () => {
    await expect.poll(rowCount, { timeout: 30_000 }).toBe(AGENTS + 1)
  })

  const scrolling = await longestTaskOfRounds(async () => {
    await page.mouse.move(700, 700)
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, step < 30 ? 600 : 4_000)
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    }
  })
  const typing = await longestTaskDuring(async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('c1234', { delay: 80 })
    await expect.poll(rowCount).toBe(1)
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Backspace')
    await expect.poll(rowCount).toBe(AGENTS + 1)
  })
  const sorting = await longestTaskDuring(async () => {
    for (const name of ['Cost', 'Agent', 'Phase', 'Age']) {
      await page.getByRole('columnheader', { name, exact: true }).getByRole('button').click()
      await settle()
    }
  })
  const tree = await longestTaskDuring(async () => {
    await page.getByRole('button', { name: 'Tree' }).click()
    await page.getByRole('treegrid').waitFor()
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await expect.poll(rowCount).toBe(AGENTS / 10 + 1)
  })

  const figures = { loading, scrolling, typing, sorting, tree }
  const words = Object.entries(figures).map(([name, { wallMs, cpuMs }]) => `${name} ${wallMs} (${cpuMs})`)
  console.log(
    `fleet of ${AGENTS}: first content ${Math.round(firstRowMs)} ms; longest task in ms (of which the page's own ` +
      `processor time): ${words.join(', ')}`,
  )
  expect(firstRowMs).toBeLessThan(MAX_FIRST_CONTENT_MS)
  expect(scrolling.wallMs).toBeLessThan(MAX_TASK_MS)
  // What happens once, at a click, may take longer than a step of scrolling before anyone notices.
  expect(Math.max(...Object.values(figures).map(({ cpuMs }) => cpuMs))).toBeLessThan(MAX_CLICK_MS)
})

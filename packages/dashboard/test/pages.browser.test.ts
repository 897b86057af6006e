import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers, signIn } from './dashboard-world.ts'
import { seedFleet } from './fleet/seed-fleet.ts'
import { AutomationWorld } from './automations/automation-world.ts'

/** Where pictures of every page go, for people to look at: SKEIN_SCREENSHOTS=folder npm run test:browser. */
const pictures = process.env['SKEIN_SCREENSHOTS']

/** Every width and every theme once. The other two are for pictures, because each look takes half a minute. */
const LOOKS = [
  { name: 'wide-light', width: 1440, height: 900, isDark: false },
  { name: 'phone-dark', width: 390, height: 844, isDark: true },
  ...(pictures === undefined
    ? []
    : [
        { name: 'wide-dark', width: 1440, height: 900, isDark: true },
        { name: 'phone-light', width: 390, height: 844, isDark: false },
      ]),
]

const AGENT = '/agents/codehost_oauth/dev/sample'

const PAGES = [
  { name: 'fleet', path: '/', heading: /fleet/i },
  { name: 'fleet-tree', path: '/?view=tree&ended=true', heading: /fleet/i },
  { name: 'inbox', path: '/inbox', heading: /inbox/i },
  { name: 'agent', path: `${AGENT}/changelog`, heading: /changelog/ },
  { name: 'agent-asks', path: `${AGENT}/migration`, heading: /migration/ },
  { name: 'agent-tasks', path: `${AGENT}/migration?tab=tasks`, heading: /migration/ },
  { name: 'agent-queue', path: `${AGENT}/upgrade-node?tab=queue`, heading: /upgrade-node/ },
  { name: 'agent-children', path: `${AGENT}/release?tab=children`, heading: /release/ },
  { name: 'agent-runs', path: `${AGENT}/changelog?tab=runs`, heading: /changelog/ },
  { name: 'agent-branches', path: `${AGENT}/changelog?tab=branches`, heading: /changelog/ },
  { name: 'agent-settings', path: `${AGENT}/changelog?tab=settings`, heading: /changelog/ },
  { name: 'spawn', path: '/spawn', heading: /spawn/i },
  { name: 'catalog', path: '/catalog', heading: /catalog/i },
  { name: 'catalog-kind', path: '/catalog/workspace', heading: /workspace/i },
  { name: 'catalog-resource', path: '/catalog/workspace/sample', heading: /sample/ },
  { name: 'automations', path: '/automations', heading: /automations/i },
  { name: 'automations-triggers', path: '/automations?tab=triggers', heading: /automations/i },
  { name: 'automations-schedules', path: '/automations?tab=schedules', heading: /automations/i },
  { name: 'webhook', path: '/automations/integrations/chat', heading: /chat/ },
  { name: 'trigger', path: '/automations/triggers/tickets', heading: /tickets/ },
  { name: 'schedule', path: '/automations/schedules/nightly-deps', heading: /nightly-deps/ },
  { name: 'usage', path: '/usage?by=persona', heading: /usage/i },
  { name: 'usage-days', path: '/usage?period=30d&by=workspace', heading: /usage/i },
  { name: 'runners', path: '/runners', heading: /runners/i },
  { name: 'tokens', path: '/tokens', heading: /tokens/i },
  { name: 'sessions', path: '/sessions', heading: /sessions/i },
  { name: 'audit', path: '/audit', heading: /audit/i },
] as const

let world: DashboardWorld
let automations: AutomationWorld

beforeAll(async () => {
  world = await DashboardWorld.start(AutomationWorld.SETTINGS)
  automations = await AutomationWorld.seed(world)
  await seedFleet(world.skein)
  await waitFor(async () => (await world.skein.agent('sample/migration').status()).needsInput !== '', {
    what: 'the agent that asks',
    timeoutMs: 120_000,
  })
  await world.skein.agent('sample/changelog').wait()
  for (const [name, amount] of Object.entries({ company: 2000, tight: 0.05 }))
    await world.skein.catalog.put('budget', name, { amount, mode: 'soft' })
  await world.skein.catalog.put('team', 'docs', { members: [] })
  const { document } = await world.skein.catalog.get('workspace', 'sample')
  await world.skein.catalog.put('workspace', 'sample', { ...document, team: 'docs' })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })
})

afterAll(async () => {
  await world.stop()
  await automations.close()
})

describe('every page', () => {
  let page: Page

  beforeAll(async () => {
    page = await world.openPage()
    await signIn(page, world.apiKey)
  })

  afterAll(() => closeProfile(page))

  test.each([
    ['/?workspace=sample', 'Workspace: sample (team docs)'],
    [`${AGENT}/changelog`, 'dev / sample (team docs)'],
    ['/usage?by=workspace', 'sample (team docs)'],
    ['/catalog/workspace', 'team docs'],
  ])('%s names the team that owns the workspace', async (path, text) => {
    await page.goto(path)
    const shown = page.getByText(text, { exact: true }).and(page.locator(':visible')).first()
    await shown.waitFor()
    expect(await shown.isVisible()).toBe(true)
  })

  test.each(PAGES)('$name: no barrier for anyone, nothing wider than the screen', async (one) => {
    await page.goto(one.path)
    await page.getByRole('heading', { level: 1, name: one.heading }).first().waitFor()
    await page.waitForLoadState('load')
    for (const look of LOOKS) {
      await show(page, look)
      if (pictures !== undefined) {
        // What is still loading would be in the picture; a test that only reads has no need to wait.
        await page.waitForTimeout(800)
        await page.screenshot({ path: join(pictures, `${one.name}-${look.name}.png`) })
      }
      const barriers = await findBarriers(page)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect({ look: look.name, barriers, fits: overflow <= 0 }).toEqual({
        look: look.name,
        barriers: [],
        fits: true,
      })
    }
  })
})

/** As a window that is resized and a system that turns dark: loading each page again would take twice as long. */
async function show(page: Page, { width, height, isDark }: (typeof LOOKS)[number]): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
  // Colours on their way are not what people read. A pulsing dot never ends.
  await page.waitForFunction(
    () => !document.getAnimations().some((animation) => animation instanceof CSSTransition),
  )
}

test('a phone has the spawn button in sight, and shows tokens and audit without scrolling sideways', async () => {
  const page = await world.openSignedIn('/spawn', { width: 390, height: 844 })
  const button = page.getByRole('button', { name: 'Spawn agent' })
  await button.waitFor()
  const { y = 0, height = 0 } = (await button.boundingBox()) ?? {}
  const nav = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
  expect(y + height).toBeLessThanOrEqual(nav?.y ?? 0)
  expect(await page.getByLabel('Model').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'More options' }).click()
  await page.getByLabel('Model').waitFor()
  for (const [path, name] of [
    ['/tokens', 'Tokens'],
    ['/audit', 'Changes'],
  ] as const) {
    await page.goto(path)
    const table = page.getByRole('group', { name })
    await table.getByRole('link').first().waitFor()
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0)
  }
  await closeProfile(page)
})

test('the first load is under 300 KiB of compressed JavaScript', async () => {
  const page = await world.openSignedIn()
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming && entry.name.endsWith('.js'))
      .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
  )
  const kib = scripts.reduce((sum, bytes) => sum + bytes, 0) / 1024
  console.log(`first load: ${kib.toFixed(1)} KiB of compressed JavaScript in ${scripts.length} files`)
  expect(kib).toBeGreaterThan(20)
  expect(kib).toBeLessThan(300)
  await closeProfile(page)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

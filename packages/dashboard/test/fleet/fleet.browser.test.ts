import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from '../dashboard-world.ts'
import { scripted, seedFleet } from './seed-fleet.ts'

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await DashboardWorld.start()
  await seedFleet(world.skein)
  await world.skein.agent('sample/migration').wait()
  await world.skein.agent('sample/changelog').wait()
  page = await world.openSignedIn()
})

afterAll(async () => {
  await closeProfile(page)
  await world.stop()
})

function rowOf(name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
}

test('the fleet shows each agent with its phase and what it asks, and follows what happens', async () => {
  await page.goto('/')
  const migration = rowOf('sample/migration')
  await migration.getByText('Asking').waitFor()
  await migration.getByText('May the orders table be locked for 4 minutes').waitFor()
  // It asks, so it comes first; what has just ended is below everything that lives.
  await rowOf('sample/changelog').waitFor()
  const names = await page.locator('table[aria-rowcount] tbody tr th a').allTextContents()
  expect(names[0]).toBe('sample/migration')
  expect(names.indexOf('sample/changelog')).toBeGreaterThan(names.indexOf('sample/upgrade-node'))
  await world.skein.spawn({
    name: 'newcomer',
    workspace: 'sample',
    description: scripted('Say hello.', [{ say: 'Hello!', delayMs: 60_000 }]),
  })
  await rowOf('sample/newcomer').waitFor()
  expect(await findBarriers(page)).toEqual([])
})

test('filters are in the address, and each can be taken away', async () => {
  await page.goto('/')
  await page.getByRole('button', { name: /Completed/ }).click()
  await rowOf('sample/changelog').waitFor()
  expect(page.url()).toContain('phase=completed')
  await page.keyboard.press('/')
  await page.keyboard.type('changelog')
  await page.waitForURL(/text=changelog/)
  await page.reload()
  await rowOf('sample/changelog').waitFor()
  expect(await page.getByLabel('Find agents').inputValue()).toBe('changelog')
  await page.getByRole('button', { name: 'Remove filter Text: changelog' }).click()
  await page.getByRole('button', { name: 'Remove filter Phase: completed' }).click()
  await rowOf('sample/migration').waitFor()
  expect(new URL(page.url()).search).toBe('')
})

test('the tree is walked with the arrows, and Enter opens an agent', async () => {
  await page.goto('/?view=tree&sort=agent&workspace=sample')
  const release = rowOf('sample/release')
  await rowOf('tests').waitFor()
  expect(await release.getAttribute('aria-expanded')).toBe('true')
  await release.focus()
  await page.keyboard.press('ArrowLeft')
  await rowOf('tests').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await rowOf('tests').waitFor()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-level'))).toBe('2')
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sample\/release$/)
})

test('an ancestor of a match stays in sight in the tree', async () => {
  await page.goto('/?view=tree&text=tests')
  await rowOf('tests').waitFor()
  expect(await rowOf('sample/release').count()).toBe(1)
  expect(await rowOf('sample/migration').count()).toBe(0)
})

test('j and k move over the agents of the table from anywhere', async () => {
  await page.goto('/?sort=agent')
  await rowOf('sample/migration').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  const first = await page.locator('table[aria-rowcount] tbody a').first().textContent()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(first)
})

test('Ctrl-K goes to an agent by its name, the title says where one is, and ? shows the keys', async () => {
  await page.goto('/')
  await rowOf('sample/migration').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page or agent' }).fill('migr')
  await page.getByRole('option', { name: 'sample/migration' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sample\/migration$/)
  await expect.poll(() => page.title(), { timeout: 120_000 }).toMatch(/^\(\d+\) sample\/migration · Skein$/)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('an unknown URL says so, and keeps the navigation', async () => {
  await page.goto('/nowhere/at/all')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await expect.poll(() => page.title(), { timeout: 120_000 }).toContain('Not found')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Fleet' }).click()
  await rowOf('sample/migration').waitFor()
})

test('a phone gets cards', async () => {
  const phone = await world.openSignedIn('/', { width: 390, height: 844 })
  await phone.getByRole('list', { name: 'Agents' }).getByText('sample/migration').waitFor()
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await findBarriers(phone)).toEqual([])
  await closeProfile(phone)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

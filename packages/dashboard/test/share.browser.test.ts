import { waitFor } from '@skein/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from './dashboard-world.ts'
import { scripted } from './fleet/seed-fleet.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
  await world.skein.spawn({
    name: 'shown',
    workspace: 'sample',
    description: scripted('Show yourself.', [{ say: 'Here I am.' }]),
    tasks: [{ id: 'one', subject: 'Be seen' }],
  })
})

afterAll(() => world.stop())

test('a link shows one agent to someone without an account, live, until it is revoked', async () => {
  const owner = await world.openSignedIn()
  await actAsOverPlainHttp(owner)
  await owner.goto('/agents/codehost_oauth/dev/sample/shown')
  await owner.getByText('Here I am.', { exact: true }).first().waitFor({ timeout: 120_000 })
  expect(await owner.getByRole('button', { name: /Copy a link/ }).count()).toBe(0)
  await owner.getByRole('button', { name: 'Share' }).click()
  await owner.getByLabel('Description').fill('For the customer')
  await owner.getByLabel('Expires after').selectOption('1')
  await owner.getByRole('button', { name: 'Create link' }).click()
  const link = (await owner.getByLabel('Share link').last().textContent()) ?? ''
  expect(link).toContain('/share#skl_')

  const guest = await world.openPage()
  const requested: string[] = []
  guest.on('request', (request) => requested.push(request.url()))
  await guest.goto(link)
  await guest.getByRole('heading', { level: 1, name: 'shown' }).waitFor()
  await guest.getByText('For the customer').waitFor()
  await guest.getByText('Here I am.', { exact: true }).first().waitFor({ timeout: 120_000 })
  await world.skein.agent('sample/shown').send(scripted('Again.', [{ say: 'Still here.' }]))
  await guest.getByText('Still here.', { exact: true }).first().waitFor({ timeout: 120_000 })
  expect(await guest.getByRole('button', { name: /Kill|Send|Share|Stop/ }).count()).toBe(0)
  expect(await findBarriers(guest)).toEqual([])

  const kept = await guest.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
  expect(kept).not.toContain('skl_')
  expect(requested.filter((url) => url.includes('skl_') && !url.startsWith(link))).toEqual([])

  await failToReadShare(guest)
  expect(await guest.getByRole('heading', { level: 1, name: 'shown' }).isVisible()).toBe(true)

  await owner.getByRole('button', { name: 'Revoke For the customer' }).click()
  await owner.getByText('Revoked', { exact: true }).waitFor()
  await guest.reload()
  await guest.getByText('This link no longer works').waitFor()
  expect(await findBarriers(guest)).toEqual([])
  await closeProfile(guest)
  await closeProfile(owner)
})

/** Browsers leave these out for pages that are not secure, such as in a home network. */
async function actAsOverPlainHttp(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(crypto, 'randomUUID', { value: undefined })
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    Object.defineProperty(window, 'isSecureContext', { value: false })
  })
}

/** The page reads its link again when someone returns to it, and gives up after five attempts. */
async function failToReadShare(page: Page): Promise<void> {
  let tries = 0
  await page.route('**/v1/share', async (route) => {
    tries += 1
    await route.abort()
  })
  await waitFor(
    async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      return tries >= 5
    },
    { what: 'five tries', timeoutMs: 120_000 },
  )
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await page.unroute('**/v1/share')
}

test('an invalid share link leads to a friendly page', async () => {
  const page = await world.openPage()
  await page.goto('/share')
  await page.getByText('This link no longer works').waitFor()
  await page.goto('/share#skn_not-a-link')
  expect(await page.getByText('This link no longer works').isVisible()).toBe(true)
  await closeProfile(page)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { DashboardWorld } from './dashboard-world.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
})

afterAll(() => world.stop())

test('a person sees the browsers that are signed in, and signs another one out', async () => {
  const forgotten = await world.openSignedIn()
  const page = await world.openSignedIn('/')
  await page.getByRole('button', { name: /^dev/ }).click()
  await page.getByRole('menuitem', { name: 'Sessions' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  const ends = page.getByRole('button', { name: /^End/ })
  await ends.first().waitFor()
  expect(await page.getByText('This browser').count()).toBe(1)
  expect(await ends.count()).toBe(1)
  await ends.first().click()
  await ends.first().waitFor({ state: 'detached' })
  await forgotten.goto('/inbox')
  await forgotten.waitForURL((url) => url.pathname === '/sign-in')
  expect(world.complaints).toEqual([])
})

test('a page that the service was too busy for comes up by itself', async () => {
  const page = await world.openSignedIn()
  await page.route('**/v1/whoami', (route) => route.fulfill({ status: 503, body: 'busy' }))
  await page.goto('/inbox')
  await page.getByText('Retried automatically').waitFor()
  await page.unroute('**/v1/whoami')
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/inbox')
})

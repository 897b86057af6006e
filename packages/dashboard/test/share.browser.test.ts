import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from './dashboard-world.ts'
import { scripted } from './seed-fleet.ts'

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

test('a link shows one agent to somebody without an account, live, until it is revoked', async () => {
  const owner = await world.openSignedIn('/agents/codehost_oauth/dev/sample/shown')
  await owner.getByRole('button', { name: 'Share' }).click()
  await owner.getByLabel('What is it for?').fill('For the customer')
  await owner.getByLabel('It works for').selectOption('1')
  await owner.getByRole('button', { name: 'Make a link' }).click()
  const link = (await owner.getByLabel('Share link').last().textContent()) ?? ''
  expect(link).toContain('/share#skl_')

  const guest = await world.openPage()
  const requested: string[] = []
  guest.on('request', (request) => requested.push(request.url()))
  await guest.goto(link)
  await guest.getByRole('heading', { level: 1, name: 'shown' }).waitFor()
  await guest.getByText('For the customer').waitFor()
  await guest.getByText('Here I am.', { exact: true }).first().waitFor({ timeout: 60_000 })
  await world.skein.agent('sample/shown').send(scripted('Again.', [{ say: 'Still here.' }]))
  await guest.getByText('Still here.', { exact: true }).first().waitFor({ timeout: 60_000 })
  expect(await guest.getByRole('button', { name: /Kill|Send|Share|Stop/ }).count()).toBe(0)
  expect(await findBarriers(guest)).toEqual([])

  const kept = await guest.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
  expect(kept).not.toContain('skl_')
  expect(requested.filter((url) => url.includes('skl_') && !url.startsWith(link))).toEqual([])

  await owner.getByRole('button', { name: 'Revoke For the customer' }).click()
  await owner.getByText('Revoked', { exact: true }).waitFor()
  await guest.reload()
  await guest.getByText('This link does not work').waitFor()
  expect(await findBarriers(guest)).toEqual([])
  await closeProfile(guest)
  await closeProfile(owner)
})

test('what is no share link leads to a friendly page', async () => {
  const page = await world.openPage()
  await page.goto('/share')
  await page.getByText('This link does not work').waitFor()
  await page.goto('/share#skn_not-a-link')
  expect(await page.getByText('This link does not work').isVisible()).toBe(true)
  await closeProfile(page)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from '../dashboard-world.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
})

afterAll(() => world.stop())

async function invite(owner: Page, who: string): Promise<string> {
  await owner.getByRole('button', { name: 'Invite' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('Who it is for').fill(who)
  await dialog.getByLabel('Role').selectOption('viewer')
  expect(await findBarriers(owner)).toEqual([])
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const link = (await dialog.getByLabel('link', { exact: true }).last().textContent()) ?? ''
  expect(link).toContain('/invitation#ski_')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return link
}

async function expectGone(link: string): Promise<void> {
  const late = await world.openPage()
  await late.goto(link)
  await late.getByText('Ask an admin of your tenant for a new one.').waitFor()
  expect(await late.getByRole('button', { name: 'Create my account' }).count()).toBe(0)
  expect(await findBarriers(late)).toEqual([])
  await closeProfile(late)
}

test('an invited person opens the link elsewhere, chooses a name and is in; the link works once', async () => {
  const owner = await world.openSignedIn('/tokens')
  const link = await invite(owner, 'Grace')
  const guest = await world.openPage()
  await guest.goto(link)
  await guest.getByText(/invites you to .* as viewer/).waitFor()
  expect(await findBarriers(guest)).toEqual([])
  expect(new URL(guest.url()).hash).toBe('')
  await guest.getByLabel('Account name').fill('Grace')
  await guest.getByRole('button', { name: 'Create my account' }).click()
  await guest.getByRole('heading', { name: 'Welcome, grace' }).waitFor()
  expect(await guest.getByText(/^skn_/).count()).toBeGreaterThan(0)
  await guest.getByRole('link', { name: 'I have copied it' }).click()
  await guest
    .getByRole('link', { name: /Fleet|Agents/ })
    .first()
    .waitFor()
  await expectGone(link)
  await owner.reload()
  await owner.getByText('accepted by grace').waitFor()
  await closeProfile(guest)
  await closeProfile(owner)
})

test('a link that was revoked or has expired says what to do', async () => {
  const owner = await world.openSignedIn('/tokens')
  const link = await invite(owner, 'Mallory')
  await owner.getByRole('button', { name: 'Revoke Mallory' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await owner.getByText('revoked', { exact: true }).waitFor()
  expect(await owner.getByRole('button', { name: 'Revoke Mallory' }).count()).toBe(0)
  await expectGone(link)
  const page = await world.openPage()
  await page.goto('/invitation#ski_cut')
  await page.getByText('This is not a complete invitation link.').waitFor()
  await closeProfile(page)
  await closeProfile(owner)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeCodeHost } from '../../../server/test/access/providers/fake-code-host.ts'
import { closeProfile, type DashboardWorld } from '../dashboard-world.ts'
import { look } from './look.ts'
import { ProviderWorld } from './provider-world.ts'

let providers: ProviderWorld
let world: DashboardWorld
let org: string

beforeAll(async () => {
  providers = await ProviderWorld.start(['sso', 'staff-only'])
  ;({ world, org } = providers)
  await providers.provide('sso', { title: 'Acme', defaultRole: 'member' })
  await providers.provide('staff-only', { title: 'Acme for administrators', defaultRole: 'none' })
})

afterAll(() => providers.stop())

test.each([
  ['desktop', {}],
  ['phone', { width: 390, height: 844, isDark: true }],
])(
  'a person signs in with the organization’s provider, comes back to where they wanted to go, and signs out: %s',
  async (size, options) => {
    const page = await world.openPage(options)
    await page.goto('/catalog/persona')
    await page.getByRole('button', { name: 'Use your organization’s sign-in' }).click()
    await page.getByLabel('Organization').fill('nobody')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Nobody can sign in to this organization').waitFor()
    await look(page, `sign-in-organization-${size}`)
    await page.getByLabel('Organization').fill(org)
    await page.keyboard.press('Enter')
    const button = page.getByRole('button', { name: 'Continue with Acme', exact: true })
    await button.waitFor()
    await look(page, `sign-in-providers-${size}`)
    await button.click()
    await page.waitForURL((url) => url.pathname === '/catalog/persona')
    await page.getByRole('button', { name: /grace@acme\.example/ }).click()
    await look(page, `sign-in-done-${size}`)
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    expect(kept).not.toContain('code=')
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    // The browser remembers the organization.
    await button.waitFor()
    await page.getByRole('button', { name: 'Another organization' }).click()
    await page.getByLabel('Organization').waitFor()
    await closeProfile(page)
  },
)

test('a link of the organization leads to its providers, and a key still works there', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?org=${org}`)
  await page.getByRole('button', { name: 'Continue with Acme', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Use an API key instead' }).click()
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${world.baseUrl}/`)
  await page.getByRole('button', { name: /dev/ }).waitFor()
  expect(await page.context().cookies()).toHaveLength(1)
  await closeProfile(page)
})

test('a person signs in with the code host, and is told if they are in none of its organizations', async () => {
  const host = await FakeCodeHost.start('gitea', { lin: { id: 7, login: 'lin', groups: ['acme'] } })
  await providers.provideGitea(host.url)
  const page = await world.openPage()
  await page.goto(`/sign-in?org=${org}`)
  await page.getByRole('button', { name: 'Continue with Gitea' }).click()
  await page.waitForURL(`${world.baseUrl}/`)
  await page.getByRole('button', { name: /lin/ }).click()
  await look(page, 'sign-in-code-host')
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  host.users['lin'] = { id: 7, login: 'lin', groups: [] }
  await page.getByRole('button', { name: 'Continue with Gitea' }).click()
  await page.getByText('You are not a member of an organization that this tenant allows').waitFor()
  await look(page, 'sign-in-code-host-refused')
  expect((await page.context().cookies()).filter(({ name }) => name === 'skein')).toEqual([])
  await closeProfile(page)
  await host.close()
})

test('somebody without a role is told so, and can start again', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?org=${org}`)
  await page.getByRole('button', { name: 'Continue with Acme for administrators' }).click()
  await page.getByText('Your account has no role in this tenant').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await look(page, 'sign-in-refused')
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.getByRole('button', { name: 'Continue with Acme', exact: true }).waitFor()
  await closeProfile(page)
})

test('a link that somebody else made signs nobody in', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in/callback/codehost_app/${org}/sso?code=theirs&state=theirs`)
  await page.getByText('SIGN_IN_EXPIRED').waitFor()
  expect((await page.context().cookies()).filter(({ name }) => name === 'skein')).toEqual([])
  await closeProfile(page)
})

test('the pages complained of nothing', () => {
  expect(world.complaints).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeCodeHost } from '../../../server/test/access/providers/fake-code-host.ts'
import { closeProfile, type DashboardWorld } from '../dashboard-world.ts'
import { look } from './look.ts'
import { ProviderWorld } from './provider-world.ts'

let providers: ProviderWorld
let world: DashboardWorld
let host: FakeCodeHost
let org: string

beforeAll(async () => {
  providers = await ProviderWorld.start(['sso'])
  ;({ world, org } = providers)
  host = await FakeCodeHost.start('gitea', { grace: { id: 7, login: 'grace-h', groups: ['acme'] } })
  await providers.provide('sso', { title: 'Acme', defaultRole: 'member' })
  await providers.provideGitea(host.url, { opensPullRequests: true })
})

afterAll(async () => {
  await host.close()
  await providers.stop()
})

test.each([
  ['desktop', {}],
  ['phone', { width: 390, height: 844, isDark: true }],
])('a person links their code host account and unlinks it: %s', async (size, options) => {
  const page = await world.openPage(options)
  await page.goto(`/sign-in?org=${org}`)
  await page.getByRole('button', { name: 'Continue with Acme' }).click()
  await page.getByRole('button', { name: /grace@acme\.example/ }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Link Gitea' }).click()
  await page.getByText('opens your pull requests').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await look(page, `account-linked-${size}`)
  await page.getByRole('button', { name: 'Unlink grace-h' }).click()
  await page.getByRole('button', { name: 'Link Gitea' }).waitFor()
  await look(page, `account-${size}`)
  host.users['grace'] = { id: 7, login: 'grace-h', groups: [] }
  await page.getByRole('button', { name: 'Link Gitea' }).click()
  await page.getByText('You are not a member of an organization').waitFor()
  await look(page, `account-refused-${size}`)
  host.users['grace'] = { id: 7, login: 'grace-h', groups: ['acme'] }
  await page.getByRole('link', { name: 'Back to your account' }).click()
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await closeProfile(page)
})

test('somebody who signed in with a key is told what to do', async () => {
  const page = await world.openSignedIn('/account')
  await page.getByText('You signed in with a key').waitFor()
  await closeProfile(page)
  expect(world.complaints).toEqual([])
})

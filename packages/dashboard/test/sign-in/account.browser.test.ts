import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startCertifiedIssuer,
  type CertifiedIssuer,
} from '../../../server/test/access/providers/certified-issuer.ts'
import { FakeCodeHost } from '../../../server/test/access/providers/fake-code-host.ts'
import { closeProfile, DashboardWorld, findBarriers } from '../dashboard-world.ts'

/** To look at; of no use to the test. */
const pictures = join(tmpdir(), 'skein-pictures')

let world: DashboardWorld
let issuer: CertifiedIssuer
let host: FakeCodeHost
let org: string

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  world = await DashboardWorld.start({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1' })
  const { tenant } = await world.skein.whoami()
  org = tenant.org
  const path = `/sign-in/callback/${tenant.provider.replace('PROVIDER_', '').toLowerCase()}/${org}/sso`
  issuer = await startCertifiedIssuer({ grace: { email: 'grace@acme.example', email_verified: true } }, [
    { client_id: 'skein', client_secret: 's3cret', redirect_uris: [world.baseUrl + path] },
  ])
  host = await FakeCodeHost.start('gitea', { grace: { id: 7, login: 'grace-h', groups: ['acme'] } })
  await world.skein.catalog.put('secret', 'client', { value: 's3cret' })
  await world.skein.catalog.put('code-host', 'gitea', { type: 'gitea', url: host.url, credential: 'client' })
  const client = { clientId: 'skein', clientSecret: 'client', defaultRole: 'member' }
  await world.skein.catalog.put('identity-provider', 'sso', {
    title: 'Acme',
    issuer: issuer.issuer,
    ...client,
  })
  await world.skein.catalog.put('identity-provider', 'code', {
    title: 'Gitea',
    codeHost: 'gitea',
    organizations: ['acme'],
    opensPullRequests: true,
    ...client,
  })
})

afterAll(async () => {
  await issuer.close()
  await host.close()
  await world.stop()
})

async function look(page: Page, name: string): Promise<void> {
  expect(await findBarriers(page)).toEqual([])
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

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

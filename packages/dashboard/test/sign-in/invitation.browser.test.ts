import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendInvitationMails } from '../../../server/test/access/send-invitation-mails.ts'
import { MailServer } from '../../../server/test/automations/mail-server.ts'
import { launchChromium } from '../chromium.ts'
import { closeProfile, signIn } from '../dashboard-world.ts'
import { look } from './look.ts'

const PATIENCE_MS = 120_000
const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

let server: TestServer
let tenant: TestTenant
let mail: MailServer
let browser: Browser
let baseURL: string
const complaints: string[] = []

beforeAll(async () => {
  mail = await MailServer.start()
  server = await startTestServer({
    settings: {
      SKEIN_SMTP_URL: mail.url,
      SKEIN_MAIL_FROM: 'Skein <skein@example.com>',
      SKEIN_SIGN_INS_PER_MINUTE: '0',
    },
  })
  tenant = await server.createTenant()
  baseURL = await server.app.listen({ port: 0, host: '127.0.0.1' })
  browser = await launchChromium()
})

afterAll(async () => {
  await browser.close()
  await server.close()
  await mail.close()
})

/** Of a new browser profile. */
async function openPage(viewport = DESKTOP): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  return page
}

async function openTokens(key = tenant.admin.key): Promise<Page> {
  const page = await openPage()
  await signIn(page, key ?? '')
  await page.goto('/tokens')
  return page
}

/** Fills in the dialog and leaves it open, with the link. */
async function invite(admin: Page, who: string, email = ''): Promise<string> {
  await admin.getByRole('button', { name: 'Invite' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByLabel('Who it is for').fill(who)
  await dialog.getByLabel('E-mail address (optional)').fill(email)
  await dialog.getByLabel('Role').selectOption('viewer')
  await look(admin, 'invite')
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const link = dialog.getByText('/invitation#ski_')
  await link.waitFor()
  return (await link.textContent()) ?? ''
}

/** The public URL of the test server is not where it listens. */
function pathOf(link: string): string {
  const { pathname, hash } = new URL(link)
  return pathname + hash
}

async function expectGone(link: string, picture: string): Promise<void> {
  const late = await openPage(PHONE)
  await late.goto(pathOf(link))
  await late.getByText('Ask an admin of your tenant for a new one.').waitFor()
  expect(await late.getByRole('button', { name: 'Create my account' }).count()).toBe(0)
  await look(late, picture)
  await closeProfile(late)
}

test('an invited person opens the link from the mail, chooses a name and is in; the link works once', async () => {
  const admin = await openTokens()
  const shown = await invite(admin, 'Grace', 'grace@example.com')
  await admin.getByText('The link is on its way to grace@example.com').waitFor()
  await look(admin, 'invite-link')
  await admin.getByRole('button', { name: 'I have copied it' }).click()
  await admin.getByText('E-mail to grace@example.com is being sent').waitFor()
  await sendInvitationMails(server)
  await admin.reload()
  await admin.getByText('E-mail to grace@example.com was sent').waitFor()
  const text = (mail.received[0]?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const link = /https?:\S+\/invitation#ski_\S+/.exec(text)?.[0] ?? ''
  expect(link).toBe(shown)
  const guest = await openPage(PHONE)
  await guest.goto(pathOf(link))
  await guest.getByText(/ada invites you to .* as viewer/).waitFor()
  expect(new URL(guest.url()).hash).toBe('')
  await look(guest, 'invitation')
  await guest.getByLabel('Account name').fill('Ada')
  await guest.getByRole('button', { name: 'Create my account' }).click()
  await guest.getByText('The account name is taken').waitFor()
  await look(guest, 'invitation-taken')
  await guest.getByLabel('Account name').fill('Grace')
  await guest.getByRole('button', { name: 'Create my account' }).click()
  await guest.getByRole('heading', { name: 'Welcome, grace' }).waitFor()
  await look(guest, 'invitation-accepted')
  await guest.getByRole('link', { name: 'I have copied it' }).click()
  await guest.waitForURL((url) => url.pathname === '/')
  await guest.getByRole('button', { name: /grace/ }).waitFor()
  await expectGone(link, 'invitation-used')
  await admin.reload()
  await admin.getByText('accepted by grace').waitFor()
  await look(admin, 'invitations')
  await closeProfile(guest)
  await closeProfile(admin)
})

test('a link that was revoked, has expired or is incomplete says what to do', async () => {
  const admin = await openTokens()
  const revoked = await invite(admin, 'Mallory')
  await admin.getByRole('button', { name: 'I have copied it' }).click()
  await admin.getByRole('button', { name: 'Revoke Mallory' }).click()
  await look(admin, 'invitation-revoke')
  await admin.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await admin.getByText('revoked', { exact: true }).waitFor()
  expect(await admin.getByRole('button', { name: 'Revoke Mallory' }).count()).toBe(0)
  await expectGone(revoked, 'invitation-revoked')
  const expired = await invite(admin, 'Late')
  await admin.getByRole('button', { name: 'I have copied it' }).click()
  const owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  await owner.query(`update invitation set expires_at = now() - interval '1 second' where ended_at is null`)
  await owner.end()
  await expectGone(expired, 'invitation-expired')
  await admin.reload()
  await admin.getByText('expired', { exact: true }).waitFor()
  const page = await openPage()
  await page.goto('/invitation#ski_cut')
  await page.getByText('This is not a complete invitation link.').waitFor()
  await look(page, 'invitation-incomplete')
  await closeProfile(page)
  await closeProfile(admin)
})

test('an operator has to say why', async () => {
  const operator = await openTokens(tenant.operator.key)
  await operator.getByRole('button', { name: 'Invite' }).click()
  const dialog = operator.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create the link' })
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Why').fill('the only admin left')
  await look(operator, 'invite-operator')
  await create.click()
  await dialog.getByText('/invitation#ski_').waitFor()
  const { body } = await tenant.admin.get('/v1/audit', { query: { operation: 'createInvitation' } })
  expect(body['entries']).toContainEqual(
    expect.objectContaining({ account: 'olga', justification: 'the only admin left' }),
  )
  await closeProfile(operator)
})

test('no page complained', () => {
  expect(complaints).toEqual([])
})

import type { InvitationEntry } from '@skein/contract'
import { InvitationMails } from '@skein/engine'
import { PAGE_SECRET, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { MailServer } from '../automations/mail-server.ts'
import { SAME_ORIGIN } from '../browser.ts'
import { dumpDatabase } from '../database-dump.ts'
import { sendInvitationMails } from './send-invitation-mails.ts'

let mail: MailServer
let world: AgentWorld

beforeAll(async () => {
  mail = await MailServer.start()
  world = await AgentWorld.start({
    settings: {
      SKEIN_SMTP_URL: mail.url,
      SKEIN_MAIL_FROM: 'Skein <skein@example.com>',
      SKEIN_MAILS_PER_HOUR: '3',
      SKEIN_SIGN_INS_PER_MINUTE: '0',
    },
  })
})

beforeEach(async () => {
  mail.received.length = 0
  mail.refuse = () => undefined
  mail.answer = (answer) => answer()
  await world.sql('delete from invitation')
  await world.sql('delete from mail_hour')
})

afterAll(async () => {
  await world.close()
  await mail.close()
})

const send = () => sendInvitationMails(world.server)
const post = (email: string) => world.admin.post('/v1/invitations', { role: 'viewer', email })

async function invite(email = 'grace@example.com'): Promise<{ invitation: InvitationEntry; url: string }> {
  return must(await post(email)).body as unknown as { invitation: InvitationEntry; url: string }
}

async function list(): Promise<InvitationEntry[]> {
  return must(await world.admin.get('/v1/invitations')).body['invitations'] as InvitationEntry[]
}

const makeDue = () => world.sql('update invitation set mail_due_at = now() where mail_due_at is not null')
const textOf = (raw = '') => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')

test('the link arrives, works, and is nowhere else: not in the database, the log or the audit', async () => {
  const { invitation, url } = await invite()
  const code = new URL(url).hash.slice(1)
  expect(invitation).toMatchObject({ email: 'grace@example.com', mailState: 'waiting', mailError: '' })
  expect(await dumpDatabase(world.server.database)).not.toContain(code)
  await send()
  expect(mail.received).toMatchObject([{ from: 'skein@example.com', to: ['grace@example.com'] }])
  const { raw = '' } = mail.received[0] ?? {}
  expect(textOf(raw)).toContain(url)
  expect(raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r?$/m)
  expect(raw).toContain(`Message-ID: <${invitation.id}@example.com>`)
  expect(await list()).toMatchObject([{ mailState: 'sent', mailError: '' }])
  expect(await world.sql('select from invitation where sealed is not null')).toEqual([])
  const audit = must(await world.admin.get('/v1/audit', { query: { kind: 'invitation' } })).text
  for (const text of [world.server.logLines.join('\n'), audit]) expect(text).not.toContain(code)
  const body = { code, account: 'grace', pageSecret: PAGE_SECRET }
  must(await world.server.anonymous.post('/v1/invitation/accept', body, { headers: SAME_ORIGIN }))
  // Nothing is sent twice.
  await send()
  expect(mail.received).toHaveLength(1)
})

test.each([
  'grace',
  'grace@localhost',
  'grace@example.com\r\nBcc: victim@example.com',
  'grace@example.com\n',
  'grace@example.com, victim@example.com',
  '"grace x"@example.com',
  'Grace <grace@example.com>',
  'grace\u0000@example.com',
  '\uD800@example.com',
  `${'x'.repeat(60)}@${'y.'.repeat(120)}com`,
])('%j is no address', async (email) => {
  expect(await post(email)).toMatchObject({ status: 400 })
  expect(await list()).toEqual([])
})

test('two servers send it once', async () => {
  await invite()
  await Promise.all([send(), send()])
  expect(mail.received).toHaveLength(1)
})

test('what is refused for now is tried again, and what is refused for good is not', async () => {
  mail.refuse = () => 450
  await invite()
  await send()
  expect(await list()).toMatchObject([
    { mailState: 'waiting', mailError: expect.stringContaining('450') as unknown },
  ])
  mail.refuse = () => undefined
  await makeDue()
  await send()
  expect(await list()).toMatchObject([{ mailState: 'sent' }])
  mail.refuse = () => 550
  await invite('nobody@example.com')
  await send()
  const [newest] = await list()
  expect(newest).toMatchObject({ mailState: 'failed', mailError: expect.stringContaining('550') as unknown })
  expect(await world.sql('select from invitation where sealed is not null')).toEqual([])
})

test('it is given up when it was tried long enough', async () => {
  mail.refuse = () => 450
  await invite()
  await world.sql(`update invitation set created_at = now() - interval '5 days', mail_attempts = 4`)
  await send()
  expect(await list()).toMatchObject([{ mailState: 'failed' }])
})

test('an invitation that was revoked or has expired is not sent', async () => {
  const { invitation } = await invite()
  must(await world.admin.delete(`/v1/invitations/${invitation.id}`))
  await invite('late@example.com')
  await world.sql(`update invitation set expires_at = now() - interval '1 second' where ended_at is null`)
  await send()
  expect(mail.received).toEqual([])
  expect(await list()).toMatchObject([{ mailState: 'failed' }, { mailState: 'failed' }])
  expect(await world.sql('select from invitation where sealed is not null')).toEqual([])
})

test('a mail that was on its way when the invitation was revoked counts as sent', async () => {
  const { invitation } = await invite()
  mail.answer = (answer) => void world.admin.delete(`/v1/invitations/${invitation.id}`).finally(answer)
  await send()
  expect(await list()).toMatchObject([{ state: 'revoked', mailState: 'sent' }])
})

test('mail goes only to domains that the operator allows', async () => {
  await invite('x@elsewhere.com')
  await send()
  expect(mail.received).toEqual([])
  expect(await list()).toMatchObject([
    { mailState: 'failed', mailError: expect.stringContaining('SKEIN_MAIL_DOMAINS') as unknown },
  ])
})

test('without a mail server, the admin is told whom to ask', async () => {
  await invite()
  await new InvitationMails(world.server.engine, undefined, () => undefined).runDue()
  expect(await list()).toMatchObject([
    { mailState: 'failed', mailError: expect.stringContaining('SKEIN_SMTP_URL') as unknown },
  ])
})

test('a tenant that has sent enough waits for the next hour; another does not', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await invite(`${name}@example.com`)
  await send()
  expect(mail.received).toHaveLength(3)
  expect((await list()).filter(({ mailState }) => mailState === 'waiting')).toMatchObject([
    { mailError: expect.stringContaining('as much e-mail as it may') as unknown },
  ])
  const other = await world.server.createTenant()
  must(await other.admin.post('/v1/invitations', { role: 'viewer', email: 'e@example.com' }))
  await send()
  expect(mail.received).toHaveLength(4)
  // The next hour.
  await world.sql(`update mail_hour set hour = hour - interval '1 hour'`)
  await makeDue()
  await send()
  expect(mail.received).toHaveLength(5)
})

test('a suspended tenant sends nothing, and goes on afterwards', async () => {
  await invite()
  await world.sql('update tenant set suspended_at = now() where id = $1', [world.tenant.id])
  await send()
  expect(mail.received).toEqual([])
  await world.sql('update tenant set suspended_at = null where id = $1', [world.tenant.id])
  await send()
  expect(mail.received).toHaveLength(1)
})

test('every server with automations sends them', async () => {
  const stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
  await invite()
  await waitFor(() => mail.received.length === 1, { what: 'the mail' })
  await stop()
  expect(mail.received).toMatchObject([{ to: ['grace@example.com'] }])
})

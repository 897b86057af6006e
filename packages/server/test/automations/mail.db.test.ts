import { createServer, type AddressInfo } from 'node:net'
import type { Delivery } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { MailServer } from './mail-server.ts'

let world: AgentWorld
let mail: MailServer
let stop: () => Promise<void> = () => Promise.resolve()

beforeEach(async () => {
  mail = await MailServer.start()
})

afterEach(async () => {
  await stop()
  await world.close()
  await mail.close()
})

async function begin(settings: Record<string, string> = {}): Promise<void> {
  world = await AgentWorld.start({
    settings: { SKEIN_SMTP_URL: mail.url, SKEIN_MAIL_FROM: 'Skein <skein@example.com>', ...settings },
  })
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
}

async function integrate(to: string[], name = 'mail', by = world): Promise<void> {
  must(await by.admin.write('integration', name, { type: 'email', to, groupSeconds: 0 }))
}

async function ask(name: string, needsInput = 'Which?', by = world): Promise<void> {
  const { run } = await by.running(name)
  await by.complete(run, { reason: 'asked', needsInput })
}

const arrived = (amount: number) => waitFor(() => mail.received.length >= amount, { what: `${amount} mails` })

async function log(): Promise<Delivery[]> {
  return must(await world.admin.get('/v1/integration/mail/deliveries')).body['deliveries'] as Delivery[]
}

const logged = () => waitFor(async () => (await log())[0], { what: 'an entry of the log' })

async function testMail(): Promise<Record<string, unknown>> {
  return must(await world.admin.post('/v1/integration/mail/test', {})).body
}

const headersOf = (raw: string) => raw.slice(0, raw.indexOf('\r\n\r\n'))

test('a mail says what happened and links to the agent; its id is that of the message', async () => {
  await begin()
  await integrate(['ada@example.com', 'bob@example.com'])
  await ask('asks', 'Which currency?')
  await arrived(1)
  const [{ from, to, raw } = { from: '', to: [], raw: '' }] = mail.received
  expect([from, to]).toEqual(['skein@example.com', ['ada@example.com', 'bob@example.com']])
  expect(headersOf(raw)).toMatch(/^Subject: \[Skein\] [a-z-]+\/asks asks\r$/m)
  expect(headersOf(raw)).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(headersOf(raw)).toMatch(/^Content-Type: text\/plain; charset=utf-8\r?$/m)
  expect(raw.replaceAll('=\r\n', '')).toContain('/asks) asks: Which currency?')
  const { status, error, messageId } = await logged()
  expect([status, error]).toEqual([250, ''])
  expect(headersOf(raw)).toContain(`Message-ID: <${messageId}@example.com>`)
})

test('no text of an agent becomes a header or another mail', async () => {
  await begin()
  await integrate(['ada@example.com'])
  await ask('asks', 'x\r\nBcc: victim@example.com\r\n\r\n.\r\nMAIL FROM:<evil@example.com>\r\n<script>')
  await arrived(1)
  await logged()
  expect(mail.received).toHaveLength(1)
  expect(mail.received[0]?.to).toEqual(['ada@example.com'])
  expect(headersOf(mail.received[0]?.raw ?? '')).not.toMatch(/victim|evil|script/)
})

test('a recipient who does not exist does not keep the others from getting their mail, once', async () => {
  await begin()
  mail.refuse = (address) => (address === 'nobody@example.com' ? 550 : undefined)
  await integrate(['ada@example.com', 'nobody@example.com'])
  await ask('asks')
  const { error, response } = await logged()
  expect(error).toBe('')
  expect(response).toContain('nobody@example.com was refused: 550')
  expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com']])
  expect(await world.sql('select from lane')).toEqual([])
})

test('a recipient who is refused for now gets it later, and nobody gets it twice', async () => {
  await begin()
  mail.refuse = (address) => (address === 'busy@example.com' ? 450 : undefined)
  await integrate(['ada@example.com', 'busy@example.com'])
  await ask('asks')
  expect((await logged()).error).toContain('busy@example.com was refused: 450')
  mail.refuse = () => undefined
  await waitFor(async () => (await world.sql('select from lane where attempts = 1')).length === 1, {
    what: 'the retry',
  })
  await world.sql('update lane set due_at = now()')
  await world.sql('update endpoint set due_at = now()')
  await arrived(2)
  await waitFor(async () => (await world.sql('select from lane')).length === 0, { what: 'the end' })
  expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com'], ['busy@example.com']])
})

test('a server that accepts a mail and never answers costs ten seconds', async () => {
  await begin()
  mail.answers = false
  await integrate(['ada@example.com'])
  const startedAt = performance.now()
  expect(await testMail()).toMatchObject({
    isDelivered: false,
    error: 'The mail server did not answer within 10 seconds.',
  })
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

test('a server that says nothing at all costs ten seconds', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  await begin({ SKEIN_SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` })
  await integrate(['ada@example.com'])
  expect(await testMail()).toMatchObject({
    isDelivered: false,
    error: 'The mail server did not answer within 10 seconds.',
  })
  await new Promise((resolve) => silent.close(resolve))
})

test('a dead server is an error that says nothing about where it is', async () => {
  await begin({ SKEIN_SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1' })
  await integrate(['ada@example.com'])
  expect(await testMail()).toMatchObject({
    isDelivered: false,
    error: 'The mail server could not be reached.',
  })
  expect(world.server.logLines.join('\n')).not.toContain('hunter2')
})

test('a password is never sent in the clear', async () => {
  await begin({ SKEIN_SMTP_URL: mail.url.replace('smtp://', 'smtp://user:hunter2@') })
  await integrate(['ada@example.com'])
  expect(await testMail()).toMatchObject({ isDelivered: false })
  expect(mail.received).toEqual([])
})

test('without a mail server, the owner is told whom to ask', async () => {
  await begin({ SKEIN_SMTP_URL: '' })
  await integrate(['ada@example.com'])
  expect(await testMail()).toMatchObject({
    isDelivered: false,
    error: 'This installation sends no e-mail. Ask your operator to set SKEIN_SMTP_URL.',
  })
})

test('mail goes only to domains that the operator allows', async () => {
  await begin({ SKEIN_MAIL_DOMAINS: 'example.com, example.org' })
  await integrate(['ada@example.com', 'x@elsewhere.com', 'bob@EXAMPLE.org', 'y@sub.example.com'])
  await ask('asks')
  const { response } = await logged()
  expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com', 'bob@example.org']])
  expect(await world.sql('select from lane')).toEqual([])
  expect(response).toContain('x@elsewhere.com was refused: this installation sends no e-mail to that domain')
  expect(response).toContain('y@sub.example.com was refused')
})

test('by default, that is the sender’s own', async () => {
  await begin()
  await integrate(['x@elsewhere.com'])
  expect(await testMail()).toMatchObject({ isDelivered: false })
  expect(mail.received).toEqual([])
})

test('a tenant that has sent enough waits for the next hour; another does not', async () => {
  await begin({ SKEIN_MAILS_PER_HOUR: '2' })
  await integrate(['ada@example.com', 'bob@example.com'])
  await ask('first')
  await arrived(1)
  await ask('second')
  const due = `select extract(minute from due_at)::int as minute, attempts from lane where due_at > now()`
  await waitFor(async () => (await world.sql(due)).length === 1, { what: 'the mail to be postponed' })
  expect(await world.sql(due)).toEqual([{ minute: 0, attempts: 0 }])
  expect(await testMail()).toMatchObject({ isDelivered: false })
  expect(mail.received).toHaveLength(1)
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  await integrate(['ada@example.com'], 'mail', other)
  await ask('other', 'Which?', other)
  await arrived(2)
  // The next hour.
  await world.sql(`update mail_hour set hour = hour - interval '1 hour'`)
  await world.sql('update lane set due_at = now()')
  await world.sql('update endpoint set due_at = now()')
  await arrived(3)
})

test('what could never be sent within the limit is not kept for ever', async () => {
  await begin({ SKEIN_MAILS_PER_HOUR: '1' })
  await integrate(['ada@example.com', 'bob@example.com'])
  await ask('first')
  await arrived(1)
  await ask('second')
  await waitFor(async () => (await world.sql('select from lane where due_at > now()')).length === 1, {
    what: 'the mail to be postponed',
  })
  await world.sql(`update lane set waiting_since = now() - interval '4 days', due_at = now()`)
  await world.sql('update endpoint set due_at = now()')
  const dead = () => world.sql('select error from dead_letter')
  await waitFor(async () => (await dead()).length === 1, { what: 'the dead letter' })
  expect(await dead()).toEqual([{ error: 'More e-mail was to be sent than is allowed.' }])
  expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com', 'bob@example.com']])
})

test.each([
  [{ SKEIN_SMTP_URL: 'https://mail.example.com' }, 'SKEIN_SMTP_URL must look like'],
  [{ SKEIN_MAIL_FROM: '' }, 'SKEIN_MAIL_FROM must be an address'],
  [{ SKEIN_MAIL_FROM: 'nobody' }, 'SKEIN_MAIL_FROM must be an address'],
])('the settings %j are refused at the start', async (settings, message) => {
  await expect(begin(settings)).rejects.toThrow(message)
  stop = () => Promise.resolve()
})

import { waitFor } from '@skein/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers, signIn } from '../dashboard-world.ts'
import { scripted } from '../fleet/seed-fleet.ts'
import { AutomationWorld } from './automation-world.ts'

let world: DashboardWorld
let automations: AutomationWorld

beforeAll(async () => {
  world = await DashboardWorld.start(AutomationWorld.SETTINGS)
})

afterAll(async () => {
  await world.stop()
  await automations.close()
})

const spawn = (name: string) =>
  world.skein.spawn({ name, workspace: 'sample', description: scripted('Work.', [{ say: 'Done.' }]) })

const badge = (page: Page, text: string) => page.locator('header').getByText(text, { exact: true })
const log = (page: Page, text: string | RegExp) => page.locator('details').filter({ hasText: text }).first()
const bodyOf = async (page: Page, label: string) => (await page.getByLabel(label).first().textContent()) ?? ''

test('without any, each tab says how to create one', async () => {
  const page = await world.openSignedIn('/')
  await page.getByRole('link', { name: 'Automations' }).click()
  for (const [tab, file] of [
    ['Integrations', 'hook.yaml'],
    ['Triggers', 'tickets.yaml'],
    ['Code hosts', 'starts.yaml'],
    ['Schedules', 'nightly.yaml'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByText(`skein apply -f ${file}`).waitFor()
    expect(await findBarriers(page)).toEqual([])
  }
  await page.reload()
  await page.getByRole('tab', { name: 'Schedules', selected: true }).waitFor()
  await closeProfile(page)
  automations = await AutomationWorld.start(world)
})

test('a webhook is tested, its requests are shown as sent, and one is sent again', async () => {
  const { receiver } = automations
  const page = await world.openSignedIn('/automations')
  await page.getByRole('button', { name: 'Test chat' }).click()
  await page.getByText('chat answered 200').waitFor()
  await spawn('told')
  await page.getByRole('link', { name: 'chat' }).click()
  const entry = log(page, 'sample/told #1')
  await entry.locator('summary').click()
  const sent = receiver.received.find(({ json }) => json.type === 'agent.spawned')
  await entry.getByLabel('Request body').filter({ hasText: 'agent.spawned' }).waitFor()
  expect(JSON.parse(await bodyOf(page, 'Request body'))).toEqual(sent?.json)
  const headers = await bodyOf(page, 'Request headers')
  for (const name of ['webhook-id', 'webhook-timestamp', 'content-type'])
    expect(headers).toContain(`${name}: ${String(sent?.headers[name])}`)
  expect(headers).not.toContain('signature')
  await entry.getByLabel('Response, status 200').filter({ hasText: 'The cart is broken.' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  const before = receiver.received.length
  await entry.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Replaying events of one agent.').waitFor()
  await waitFor(() => receiver.received.length === before + 1, { what: 'the event again' })
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
  await closeProfile(page)
})

test('what a receiver refuses stands out, and a pause stops sending', async () => {
  const { receiver } = automations
  receiver.answer = () => ({ status: 500, body: 'Out of order.' })
  const page = await world.openSignedIn('/automations/integrations/chat')
  await page.getByRole('button', { name: 'Test chat' }).click()
  await page.getByText('The test of chat failed: The receiver answered with status 500.').waitFor()
  await page.getByLabel('Only failed').check()
  await page.locator('details').filter({ hasText: '200' }).first().waitFor({ state: 'detached' })
  await log(page, '500').waitFor()
  expect(await page.locator('details').count()).toBe(1)
  await page.getByText(/^1 of \d+ requests failed/).waitFor()
  receiver.answer = () => ({ status: 200 })
  await page.getByRole('button', { name: 'Pause chat' }).click()
  await badge(page, 'Paused').waitFor()
  expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  const before = receiver.received.length
  await (await spawn('unheard')).wait()
  await page.getByRole('button', { name: 'Resume chat' }).click()
  await badge(page, 'Active').waitFor()
  await spawn('heard')
  await waitFor(() => receiver.received.length > before, { what: 'the next event' })
  expect(receiver.received.at(-1)?.json.data.agentId.agent).toEqual(['heard'])
  expect(receiver.received).toHaveLength(before + 1)
  await closeProfile(page)
})

test('a trigger shows requests and what became of them, tries one, and applies it again', async () => {
  const page = await world.openSignedIn('/automations/triggers/tickets')
  await page.getByText('No genuine requests.').waitFor()
  await automations.send({ n: 7, text: 'The cart is broken.' })
  const entry = log(page, 'sample/ticket-7')
  await entry.locator('summary').click()
  await entry.getByLabel('Request body').filter({ hasText: 'The cart is broken.' }).waitFor()
  await entry.getByRole('button', { name: 'Test' }).click()
  await entry.getByLabel('Work', { exact: true }).filter({ hasText: '> The cart is broken.' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await entry.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('redelivered', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pause tickets' }).click()
  await badge(page, 'Paused').waitFor()
  await automations.send({ n: 8, text: 'Later.' })
  await log(page, 'Ignored').waitFor()
  await page.getByRole('button', { name: 'Resume tickets' }).click()
  await badge(page, 'Active').waitFor()
  await page.getByRole('link', { name: 'sample/ticket-7' }).first().click()
  await page.getByRole('heading', { level: 1, name: /ticket-7/ }).waitFor()
  await closeProfile(page)
})

test('a schedule shows its next ten firings, runs now, and none while it is paused', async () => {
  const page = await world.openSignedIn('/automations?tab=schedules')
  await page.getByRole('link', { name: 'nightly-deps' }).click()
  const next = page.getByRole('list', { name: 'Next firings' }).getByRole('listitem')
  await next.first().waitFor()
  expect(await next.count()).toBe(10)
  expect(await next.first().textContent()).toContain('02:30:00')
  await page.getByRole('button', { name: 'Run now nightly-deps' }).click()
  await page.getByText('Started', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: /^sample\/nightly-deps-/ }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Pause nightly-deps' }).click()
  await page.getByText('None while it is paused.').waitFor()
  await page.getByRole('button', { name: 'Resume nightly-deps' }).click()
  await next.first().waitFor()
  await closeProfile(page)
})

test('a viewer sees everything but requests, and is offered no actions', async () => {
  const token = await world.skein.catalog.put('token', 'a-viewer', { account: 'vera', role: 'viewer' })
  const page = await world.openPage()
  await signIn(page, String(token.document['key']))
  for (const [path, found] of [
    ['/automations', 'chat'],
    ['/automations?tab=triggers', 'tickets'],
    ['/automations?tab=schedules', 'nightly-deps'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('link', { name: found }).waitFor()
    expect(await actionsOn(page)).toEqual([])
  }
  for (const path of ['integrations/chat', 'triggers/tickets', 'schedules/nightly-deps']) {
    await page.goto(`/automations/${path}`)
    await page.locator('main li').first().waitFor()
    for (const summary of await page.locator('main summary').all()) await summary.click()
    expect(await actionsOn(page)).toEqual([])
    expect(await page.getByLabel('Request body').count()).toBe(0)
  }
  await closeProfile(page)
})

const ACTIONS = /^(Test|Pause|Resume|Replay|Run now|Send again|Redeliver)/
const actionsOn = async (page: Page) =>
  (await page.locator('main').getByRole('button', { name: ACTIONS }).allTextContents()).sort()

test('one that does not exist has a friendly page', async () => {
  const page = await world.openSignedIn()
  for (const [path, text] of [
    ['integrations/nope', 'No integration named nope'],
    ['triggers/nope', 'No trigger named nope'],
    ['schedules/nope', 'No schedule named nope'],
  ] as const) {
    await page.goto(`/automations/${path}`)
    await page.getByText(text).waitFor()
    expect(await actionsOn(page)).toEqual([])
  }
  await closeProfile(page)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

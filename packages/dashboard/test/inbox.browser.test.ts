import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers, signIn } from './dashboard-world.ts'
import { scripted } from './fleet/seed-fleet.ts'

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await DashboardWorld.start()
  page = await world.openSignedIn('/inbox')
})

afterAll(async () => {
  await closeProfile(page)
  await world.stop()
})

test('an empty inbox says so, and a question shows up in it by itself', async () => {
  await page.getByText('No open questions').waitFor()
  await world.skein.spawn({
    name: 'asker',
    workspace: 'sample',
    description: scripted('Ask something.', [
      { tool: 'ask_for_input', input: { question: 'Is it **blue** or green?' } },
      { say: 'I wait.' },
    ]),
  })
  const card = page.getByRole('article', { name: 'Question from sample/asker' })
  await card.getByText('blue').waitFor({ timeout: 120_000 })
  expect(await card.locator('strong').textContent()).toBe('blue')
  expect(await findBarriers(page)).toEqual([])
})

test('a member can read the question of someone else’s agent, and who can answer it', async () => {
  const { document } = await world.skein.catalog.put('token', 'mia', { account: 'mia', role: 'member' })
  const other = await world.openPage()
  await signIn(other, String(document['key']))
  await other.goto('/inbox')
  const card = other.getByRole('article', { name: 'Question from sample/asker' })
  await card.getByText('Only dev and admins can answer this question.').waitFor()
  expect(await card.getByRole('textbox').count()).toBe(0)
  await closeProfile(other)
})

test('an answer is sent once, however often the keys are pressed, and the question leaves', async () => {
  const card = page.getByRole('article', { name: 'Question from sample/asker' })
  await card.getByLabel('Answer to sample/asker').fill(scripted('Blue, please.', [{ say: 'Blue it is.' }]))
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Control+Enter')
  await card.waitFor({ state: 'detached', timeout: 120_000 })
  const answers: unknown[] = []
  for await (const event of world.skein.agent('sample/asker').timeline()) {
    const isAnswer = JSON.stringify(event).includes('Blue, please.')
    if (event.type === 'follow-up.queued' && isAnswer) answers.push(event)
  }
  expect(answers).toHaveLength(1)
})

test('no page complained', () => {
  expect(world.complaints).toEqual([])
})

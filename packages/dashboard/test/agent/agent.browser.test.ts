import { waitFor } from '@skein/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from '../dashboard-world.ts'
import { loseAnswers } from '../lose-answers.ts'
import { readRows, readTimeline } from './read-conversation.ts'
import { scripted } from '../fleet/seed-fleet.ts'

const LONG = 600_000

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
})

afterAll(() => world.stop())

const spawn = (name: string, ...steps: Parameters<typeof scripted>[1]) =>
  world.skein.spawn({ name, workspace: 'sample', description: scripted(`Work on ${name}.`, steps) })

const open = (name: string, search = '') =>
  world.openSignedIn(`/agents/codehost_oauth/dev/sample/${name}${search}`)

const phaseOf = (page: Page, phase: string) =>
  page.getByRole('status', { name: 'Phase' }).filter({ hasText: phase }).waitFor({ timeout: 120_000 })

const until = (name: string, phase: string) =>
  waitFor(async () => (await world.skein.agent(`sample/${name}`).status()).phase === phase, {
    what: `${name} in ${phase}`,
    timeoutMs: 120_000,
  })

test('one watches an agent work: what it says, the tools it calls, what it pushes', async () => {
  const page = await world.openSignedIn()
  await spawn(
    'worker',
    { say: 'I **look** first.', shell: 'echo from-the-tool' },
    { write: { path: 'notes.md', text: 'x' } },
    { shell: 'git add -A && git commit -qm notes && git push -q origin HEAD' },
    { tool: 'finish', input: { result: 'Done.' } },
    { say: 'All is done.' },
  )
  await page.goto('/agents/codehost_oauth/dev/sample/worker')
  await phaseOf(page, 'Completed')
  await page.getByText('All is done.', { exact: true }).first().waitFor()
  await page
    .getByRole('button', { name: /tool calls/ })
    .first()
    .click()
  await page.getByRole('button', { name: /Bash.*from-the-tool/ }).click()
  await page.getByLabel('Output').filter({ hasText: 'from-the-tool' }).waitFor()
  await page.getByRole('button', { name: /Write.*notes\.md/ }).click()
  await page.getByText('1 added, 0 removed').waitFor()
  await page.getByRole('tab', { name: 'Branches' }).click()
  await page.getByText('notes.md').waitFor()
  await page.getByRole('tab', { name: 'Runs' }).click()
  await page.getByRole('link', { name: 'Run 1' }).click()
  await page.locator('[aria-current=location]').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await closeProfile(page)
})

test('an answer with the keyboard wakes the agent that asks', async () => {
  await spawn('asker', { tool: 'ask_for_input', input: { question: 'Red or blue?' } }, { say: 'I wait.' })
  await until('asker', 'PHASE_WAITING')
  const page = await open('asker')
  await page.getByText('The agent asks').waitFor()
  await page.getByLabel('Your answer').fill(scripted('Blue.', [{ say: 'Blue it is.' }]))
  await page.keyboard.press('Control+Enter')
  await page.getByText('Blue it is.', { exact: true }).first().waitFor({ timeout: 120_000 })
  await page.getByText('The agent asks').waitFor({ state: 'detached' })
  expect((await world.skein.agent('sample/asker').status()).needsInput).toBe('')
  await closeProfile(page)
})

test('a message is deferred, queued, removed and cleared', async () => {
  await spawn('busy', { say: 'On it.', delayMs: LONG })
  await until('busy', 'PHASE_RUNNING')
  const page = await open('busy', '?tab=queue')
  await page.getByLabel('Message', { exact: true }).fill('Look again later.')
  await page.getByLabel('When to deliver').selectOption('later')
  await page.getByLabel('Deliver', { exact: true }).selectOption('240')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('region', { name: 'Queue' }).getByText('Look again later.').first().waitFor()
  const [deferred] = (await world.skein.agent('sample/busy').status()).followUps
  expect(deferred?.state).toBe('DEFERRED')
  await page.getByLabel('Message', { exact: true }).fill('And now this.')
  await page.getByRole('button', { name: 'Send' }).click()
  const queue = page.getByRole('region', { name: 'Queue' })
  await queue.getByText('And now this.').first().waitFor()
  await page.getByRole('button', { name: 'Clear queue' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await queue.getByText('And now this.').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /Remove the message: Look again/ }).click()
  await queue.getByText('Queue is empty').waitFor()
  await closeProfile(page)
})

test('a request repeated after a lost response takes effect once', async () => {
  const agent = world.skein.agent('sample/busy')
  const page = await open('busy', '?tab=tasks')
  const restore = await loseAnswers(page)
  await page.getByLabel('Message', { exact: true }).fill('Only once, please.')
  await page.getByLabel('When to deliver').selectOption('later')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('region', { name: 'Write to the agent' }).getByRole('alert').waitFor()
  await page.getByLabel('New task').fill('Do it once')
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByRole('region', { name: 'Tasks' }).getByRole('alert').waitFor()
  await restore()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Deferred.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByText('Task added.').waitFor()
  const { followUps, tasks } = await agent.status()
  expect(followUps.map(({ description }) => description)).toEqual(['Only once, please.'])
  expect(tasks.map(({ subject }) => subject)).toEqual(['Do it once'])
  await agent.removeFollowUp(followUps[0]?.followUpId ?? '')
  await closeProfile(page)
})

test('a run is interrupted and the agent stays alive', async () => {
  const page = await open('busy')
  await page.getByRole('button', { name: 'Stop run' }).click()
  await page.getByRole('button', { name: 'Interrupt' }).waitFor()
  await page.keyboard.press('Escape')
  const composer = page.getByRole('region', { name: 'Write to the agent' })
  await composer.getByText('Working…').waitFor()
  await composer.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Run 1 was stopped').waitFor({ timeout: 120_000 })
  const { phase } = await world.skein.agent('sample/busy').status()
  expect(phase).not.toBe('PHASE_CANCELED')
  await closeProfile(page)
})

test('a kill shows every agent that ends before it ends them', async () => {
  const parent = await spawn('parent', { say: 'I wait.', delayMs: LONG })
  const page = await open('parent', '?tab=children')
  await page.getByText('No children').waitFor()
  await parent.spawn({ name: 'child', description: scripted('Work.', [{ say: 'Hm.', delayMs: LONG }]) })
  await page.getByRole('link', { name: 'child', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Kill' }).click()
  const victims = page.getByLabel('Agents that will end')
  await victims.getByText('sample/parent/child').waitFor()
  expect(await findBarriers(page)).toEqual([])
  const refuse = { status: 403, json: { code: 7, message: 'You may not do this.', details: [] } }
  await page.route('**/v1/agent/kill', (route) => route.fulfill(refuse))
  await page.getByRole('button', { name: 'Kill 2 agents' }).click()
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'You may not do this.' }).waitFor()
  await page.unroute('**/v1/agent/kill')
  await page.getByRole('button', { name: 'Kill 2 agents' }).click()
  await phaseOf(page, 'Killed')
  expect((await world.skein.agent('sample/parent/child').status()).phase).toBe('PHASE_CANCELED')
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  await closeProfile(page)
})

const readLives = async (name: string) => {
  const lives: { readonly isResumed: boolean; readonly messages: string[] }[] = []
  for await (const event of world.skein.agent(`sample/${name}`).timeline()) {
    if (event.type === 'agent.spawned') lives.push({ isResumed: event.resumed, messages: [] })
    if (event.type === 'follow-up.queued') lives.at(-1)?.messages.push(event.followUp.description)
  }
  return lives
}

test('a message to an agent that has ended continues it in the same conversation', async () => {
  await spawn('ender', { tool: 'finish', input: { result: 'Done.' } }, { say: 'All is done.' })
  await until('ender', 'PHASE_COMPLETED')
  const page = await open('ender')
  await page.getByLabel('Message', { exact: true }).fill(scripted('And now?', [{ say: 'I remember.' }]))
  await page.keyboard.press('Control+Enter')
  await page.getByText('I remember.', { exact: true }).first().waitFor({ timeout: 120_000 })
  await page.getByText('All is done.', { exact: true }).first().waitFor()
  const [, second, ...others] = await readLives('ender')
  expect(second).toMatchObject({ isResumed: true, messages: [expect.stringContaining('And now?')] })
  expect(others).toEqual([])
  await closeProfile(page)
})

test('a failed agent shows its error at the run, and Retry continues from there', async () => {
  await spawn('failing', { error: 400, message: 'This model does not take pictures.', times: 'always' })
  await until('failing', 'PHASE_FAILED')
  const page = await open('failing')
  const said = page.getByRole('region', { name: 'Messages and tool calls' })
  await said.getByText('API Error: 400').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await said.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('The agent continues.').waitFor()
  const [, second] = await readLives('failing')
  expect(second).toMatchObject({
    isResumed: true,
    messages: [expect.stringContaining('The last run failed')],
  })
  await closeProfile(page)
})

test('a duplicate begins with the same work, settings and open tasks, under a name of its own', async () => {
  // Held in its first step, and so is its copy: neither changes its checklist.
  const description = scripted('Work on it.', [{ say: 'Hm.', delayMs: LONG }])
  const original = await world.skein.spawn({
    name: 'original',
    workspace: 'sample',
    description,
    reasoningEffort: 'low',
    maxCost: 3,
    labels: { team: 'docs' },
    tasks: [
      { id: 'plan', subject: 'Write the plan' },
      { id: 'rehearse', subject: 'Rehearse it', blockedBy: ['plan'] },
    ],
  })
  await original.updateTasks([{ id: 'plan', status: 'TASK_STATUS_COMPLETED' }])
  const page = await open('original')
  await expectOneColumn(page)
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Duplicate an agent' }).waitFor()
  await page.getByRole('button', { name: 'Spawn agent' }).click()
  await page.waitForURL('**/sample/original-2')
  const copy = await world.skein.agent('sample/original-2').status()
  expect(copy).toMatchObject({ description, reasoningEffort: 'low', maxCost: 3, labels: { team: 'docs' } })
  expect(copy.tasks).toContainEqual(expect.objectContaining({ subject: 'Rehearse it', blockedBy: [] }))
  expect(copy.tasks.map(({ subject }) => subject)).not.toContain('Write the plan')
  await closeProfile(page)
})

/** With a checklist at the side, what is typed stands under what was said. */
async function expectOneColumn(page: Page): Promise<void> {
  const said = page.getByRole('region', { name: 'Messages and tool calls' }).locator('ol')
  await page.getByRole('complementary', { name: 'Checklist and queue' }).waitFor()
  const [above, below] = [
    await said.boundingBox(),
    await page.getByLabel('Message', { exact: true }).boundingBox(),
  ]
  expect(Math.abs((above?.x ?? 0) - (below?.x ?? 1e6))).toBeLessThanOrEqual(1)
  expect(Math.abs((above?.width ?? 0) - (below?.width ?? 1e6))).toBeLessThanOrEqual(1)
}

test('tasks are added, marked done and reopened, and the budget is changed', async () => {
  await spawn('planner', { say: 'Hm.', delayMs: LONG })
  const page = await open('planner', '?tab=tasks')
  await page.getByLabel('New task').fill('Write the docs')
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByRole('button', { name: /^Done.*Write the docs/ }).click()
  await page.getByRole('button', { name: /^Reopen.*Write the docs/ }).click()
  await page.getByRole('button', { name: /^Done.*Write the docs/ }).waitFor()
  await page.getByRole('button', { name: 'Set a budget' }).click()
  await page.getByLabel('US dollars').fill('12.5')
  await page.keyboard.press('Enter')
  await page.getByText('of $12.50').waitFor()
  const { tasks, maxCost } = await world.skein.agent('sample/planner').status()
  expect(tasks).toMatchObject([{ subject: 'Write the docs', status: 'TASK_STATUS_IN_PROGRESS' }])
  expect(maxCost).toBe(12.5)
  await closeProfile(page)
})

test('the browser’s view of the network neither hides the service nor delays requests', async () => {
  await spawn('near', { say: 'Hm.', delayMs: LONG })
  const page = await open('near')
  await page.getByRole('button', { name: 'Kill' }).click()
  await page.getByLabel('Agents that will end').waitFor()
  const watching = page.waitForRequest((request) => request.url().endsWith('/v1/agent/watch'))
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await watching
  expect(await page.getByText('Connection lost').count()).toBe(0)
  await page.getByRole('button', { name: 'Kill this agent' }).click()
  await phaseOf(page, 'Killed')
  await closeProfile(page)
})

test('a toast is read out and can be dismissed while a dialog is open', async () => {
  await spawn('shared', { say: 'Hm.', delayMs: LONG })
  const page = await open('shared', '?tab=tasks')
  await page.getByLabel('New task').fill('Tell somebody')
  await page.getByRole('button', { name: 'Kill' }).click()
  await page.getByLabel('Agents that will end').waitFor()
  // Behind the dialog, where it cannot be clicked.
  await page.getByText('Add task').dispatchEvent('click')
  await page.getByRole('status').filter({ hasText: 'Task added.' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('button', { name: 'Dismiss' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').isVisible()).toBe(true)
  await closeProfile(page)
})

test('the conversation stays readable when an upgrade has removed a part of the app', async () => {
  const page = await world.openSignedIn()
  await page.route('**/assets/markdown-body*', (route) => route.fulfill({ status: 404, body: '{}' }))
  let loads = 0
  page.on('load', () => (loads += 1))
  await page.goto('/agents/codehost_oauth/dev/sample/worker')
  await waitFor(() => loads === 2, { what: 'the reload that may find the new app' })
  await page.getByText('I **look** first.', { exact: true }).first().waitFor()
  await page.getByRole('heading', { level: 1, name: /worker/ }).waitFor()
  expect(loads).toBe(2)
  await closeProfile(page)
})

test('after a cut of the connection the page shows exactly the timeline', async () => {
  const agent = await spawn('cut', { say: 'One.' })
  const page = await open('cut')
  await page.getByText('One.', { exact: true }).first().waitFor()
  await page.context().setOffline(true)
  await page.getByText('Connection lost').waitFor({ timeout: 120_000 })
  for (const word of ['Two.', 'Three.', 'Four.']) {
    await agent.send(scripted(`Say ${word}`, [{ say: word }]))
    await waitFor(async () => (await agent.status()).lastMessage === word, { what: word, timeoutMs: 120_000 })
  }
  await page.context().setOffline(false)
  await page.getByText('Four.', { exact: true }).first().waitFor({ timeout: 120_000 })
  await page.getByText('Connection lost').waitFor({ state: 'detached' })
  await page.getByLabel('Show all events').check()
  expect(await readRows(page)).toEqual(await readTimeline(agent))
  await closeProfile(page)
})

test('runs that are asked for while the connection is lost come when it is back', async () => {
  const agent = await spawn('lengthy', { say: 'One.' })
  await waitFor(async () => (await agent.status()).lastMessage === 'One.', {
    what: 'One.',
    timeoutMs: 120_000,
  })
  for (let round = 0; round < 7; round += 1)
    await agent.createTasks(Array.from({ length: 50 }, (_, at) => ({ subject: `Task ${round}-${at}` })))
  const page = await open('lengthy')
  await page.getByRole('button', { name: 'Load earlier events' }).waitFor()
  await page.context().setOffline(true)
  await page.getByText('Connection lost').waitFor()
  await page.getByRole('tab', { name: 'Runs' }).click()
  await page.getByText('Showing events from').waitFor()
  expect(await page.getByText('No runs yet').count()).toBe(0)
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Run 1' }).waitFor()
  await closeProfile(page)
})

test('a link to an event far back shows that event', async () => {
  const page = await open('cut', '?event=2')
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
  expect(await page.locator('[aria-current=location]').isVisible()).toBe(true)
  await closeProfile(page)
})

test.for([
  { role: 'viewer', reason: 'Your role is read-only: you cannot write to this agent.' },
  { role: 'member', reason: 'Only dev and admins can write to this agent.' },
])('a $role is offered no actions on someone else’s agent', async ({ role, reason }) => {
  const { document } = await world.skein.catalog.put('token', `a-${role}`, { account: 'vera', role })
  const page = await world.openPage()
  await page.goto('/sign-in')
  await page.getByLabel('API key').fill(String(document['key']))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  await page.goto('/agents/codehost_oauth/dev/sample/planner')
  await page.getByText(reason).waitFor()
  for (const name of ['Kill', 'Share', 'Stop run', 'Send', 'Change the budget']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  }
  await closeProfile(page)
})

test('an agent that does not exist has a friendly page', async () => {
  const page = await open('nobody')
  await page.getByRole('heading', { name: 'Agent not found' }).waitFor()
  expect(await page.getByRole('link', { name: 'Go to the fleet' }).isVisible()).toBe(true)
  await closeProfile(page)
})

test('no page complained', () => {
  const own = world.complaints.filter(
    (complaint) => !/ERR_INTERNET_DISCONNECTED|dynamically imported module/.test(complaint),
  )
  expect(own).toEqual([])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from './dashboard-world.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
}, 300_000)

afterAll(() => world.stop())

it('an agent is spawned from the form once, even with a double click', async () => {
  const page = await world.openSignedIn('/spawn')
  await page.getByLabel('Task', { exact: true }).fill('Say hello.')
  await page.getByLabel('Workspace').selectOption('sample')
  await page.getByLabel('Reasoning effort').selectOption('low')
  await page.getByLabel('Budget in US dollars').fill('1.50')
  await page.getByRole('button', { name: 'Add a task' }).click()
  await page.getByLabel('Task 1', { exact: true }).fill('Greet')
  await page.getByLabel('Command', { exact: true }).getByText('--max-cost 1.5').waitFor()
  await page.getByRole('tab', { name: 'HTTP' }).click()
  await page.getByLabel('Request', { exact: true }).getByText('"reasoningEffort": "low"').waitFor()
  expect(await findBarriers(page)).toEqual([])

  await page.getByRole('button', { name: 'Spawn agent' }).dblclick()
  await page.waitForURL('**/agents/**')
  const agents = await Array.fromAsync(world.skein.agents({ includeTerminal: true }))
  expect(agents).toHaveLength(1)
  const [agent] = agents
  if (agent === undefined) throw new Error('there is one')
  expect(await world.skein.agent(agent.agentId).status()).toMatchObject({
    maxCost: 1.5,
    reasoningEffort: 'low',
  })
  await closeProfile(page)
})

it('errors are shown at the field, from the form and from the service', async () => {
  const page = await world.openSignedIn('/spawn')
  await page.getByRole('button', { name: 'Spawn agent' }).click()
  await page.getByText('Describe the task.').waitFor()
  await page.getByLabel('Output schema').fill('{"type"')
  await page.getByText('Not valid JSON').waitFor()
  await page.getByLabel('Output schema').fill('{"type": "nonsense"}')
  await page.getByLabel('Task', { exact: true }).fill('Say hello.')
  await page.getByRole('button', { name: 'Spawn agent' }).click()
  await page.getByText('is not a JSON Schema').first().waitFor()
  expect(await page.getByLabel('Output schema').getAttribute('aria-invalid')).toBe('true')
  await closeProfile(page)
})

it('a child is spawned under the parent in the address', async () => {
  const parent = await world.skein.spawn({
    workspace: 'sample',
    name: 'release',
    description: 'Wait for a child.',
  })
  const page = await world.openSignedIn('/spawn?parent=sample/release')
  await page.getByRole('heading', { name: 'Spawn a child' }).waitFor()
  await page.getByLabel('Task', { exact: true }).fill('Write the notes.')
  await page.getByLabel('Name').fill('notes')
  await page.getByRole('button', { name: 'Spawn child' }).click()
  await page.waitForURL('**/sample/release/notes')
  const children = await Array.fromAsync(parent.children({ includeTerminal: true }))
  expect(children.map(({ agentId }) => agentId.agent)).toEqual([['release', 'notes']])
  await closeProfile(page)
})

it('no page complained', () => {
  expect(world.complaints).toEqual([])
})

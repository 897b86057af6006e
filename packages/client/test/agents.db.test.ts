import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SkeinApiError } from '../src/index.ts'
import { collect, startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
})
beforeEach(() => world.proxy.plan())
afterAll(() => world.close())

const reasonOf = (error: unknown): string => (error instanceof SkeinApiError ? error.reason : String(error))
const refused = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'not refused', reasonOf)

describe('spawning', () => {
  test('returns the agent with its full id, its first message and its page', async () => {
    const agent = await world.skein.spawn({ name: 'first', description: 'Work.', labels: { team: 'a' } })
    expect(agent.id).toMatchObject({ agent: ['first'], tenant: world.tenant.tenant })
    expect(agent.name).toBe(`${agent.id.workspace}/first`)
    expect(agent.dashboardUrl).toContain('first')
    const { followUps, labels, description } = await agent.status()
    expect(followUps.map(({ followUpId }) => followUpId)).toEqual([agent.followUpId])
    expect({ labels, description }).toEqual({ labels: { team: 'a' }, description: 'Work.' })
  })

  test('happens once when the answer is lost on the way', async () => {
    world.proxy.plan({ do: 'cut-answer' }, { do: 'cut-body' })
    const agent = await world.skein.spawn({ name: 'once', description: 'Work.' })
    const sent = world.proxy.requests.filter(({ url }) => url === '/v1/agent/spawn').slice(-3)
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(sent).toHaveLength(3)
    expect((await agent.status()).followUps).toHaveLength(1)
  })

  test('generates a name if none is given, for a child too', async () => {
    const agent = await world.skein.spawn({ description: 'Work.' })
    const child = await agent.spawn({ description: 'Part.' })
    expect(agent.id.agent).toEqual([expect.stringMatching(/^[a-z0-9-]+$/)])
    expect(child.name.startsWith(`${agent.name}/child-`)).toBe(true)
  })

  test('a child from its parent, or by its path, and the parent lists both', async () => {
    const parent = await world.skein.spawn({ name: 'parent', description: 'Work.' })
    const { workspace } = parent.id
    const one = await parent.spawn({ name: 'one', description: 'Part.' })
    const two = await world.skein.spawn({ name: 'parent/two', workspace, description: 'Part.' })
    expect([one.name, two.name]).toEqual([`${parent.name}/one`, `${parent.name}/two`])
    const listed = await collect(parent.children({ pageSize: 1 }))
    expect(listed.map(({ agentId }) => world.skein.agent(agentId).name)).toEqual([two.name, one.name])
    expect(await collect(world.skein.agents({ parent }))).toEqual(listed)
    expect(await collect(world.skein.agents({ parent: parent.name }))).toEqual(listed)
  })
})

describe('a handle', () => {
  test('makes no request, and reaches the same agent by name, by id and as itself', async () => {
    const spawned = await world.skein.spawn({ name: 'handle', description: 'Work.' })
    const before = world.proxy.requests.length
    const handles = [spawned.name, spawned.id, spawned].map((reference) => world.skein.agent(reference))
    expect(world.proxy.requests.length).toBe(before)
    for (const handle of handles) expect((await handle.status()).agentId).toEqual(spawned.id)
  })

  test('of an agent that does not exist is refused at the first call', async () => {
    const agent = world.skein.agent('nowhere/nobody')
    expect(await refused(agent.status())).toBe('AGENT_NOT_FOUND')
    expect(await refused(collect(agent.watch()))).toBe('AGENT_NOT_FOUND')
    expect(await refused(collect(agent.timeline()))).toBe('AGENT_NOT_FOUND')
  })
})

describe('messages', () => {
  test('are queued once under the caller’s own id, and can be removed', async () => {
    const agent = await world.skein.spawn({ name: 'mail', description: 'Work.' })
    const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
    expect(await agent.send('One.', { id: 'one' })).toEqual({ followUpId: 'one' })
    expect(await agent.send('One.', { id: 'one' })).toEqual({ followUpId: 'one' })
    await agent.send('Later.', { id: 'later', deliverAt })
    const queued = (await agent.status()).followUps.map(({ followUpId }) => followUpId)
    expect(queued).toEqual([agent.followUpId, 'one', 'later'])
    expect(await agent.removeFollowUp('one')).toEqual({ removed: true })
    expect(await agent.removeFollowUp('one')).toEqual({ removed: false })
    expect(await agent.clearFollowUps()).toEqual({ cleared: 1 })
    const left = (await agent.status()).followUps
    expect(left).toMatchObject([{ followUpId: 'later', state: 'DEFERRED', deliverAt }])
  })

  test('carry settings that hold from then on, and push all others aside when they are urgent', async () => {
    const agent = await world.skein.spawn({ name: 'urgent', description: 'Work.' })
    await agent.send('Now.', { id: 'now', preempt: true, reasoningEffort: 'low' })
    const { followUps } = await agent.status()
    expect(followUps.map(({ followUpId }) => followUpId)).toEqual(['now'])
  })
})

test('a checklist is created, changed and listed with what is still open', async () => {
  const agent = await world.skein.spawn({ name: 'list', description: 'Work.' })
  const created = await agent.createTasks([
    { id: 'a', subject: 'First' },
    { id: 'b', subject: 'Then', blockedBy: ['a'] },
  ])
  expect(created.map(({ id, blocks }) => ({ id, blocks }))).toEqual([
    { id: 'a', blocks: ['b'] },
    { id: 'b', blocks: [] },
  ])
  await agent.updateTasks([{ id: 'a', status: 'TASK_STATUS_COMPLETED' }])
  const { tasks, openTaskIds } = await agent.tasks()
  expect(openTaskIds).toEqual(['b'])
  expect(tasks).toMatchObject([{ status: 'TASK_STATUS_COMPLETED' }, { status: 'TASK_STATUS_PENDING' }])
})

test('a budget is set and taken away', async () => {
  const agent = await world.skein.spawn({ name: 'money', description: 'Work.', maxCost: 1 })
  expect(await agent.setBudget(7)).toEqual({ resumed: 0 })
  expect((await agent.status()).maxCost).toBe(7)
  await agent.setBudget(0)
  expect((await agent.status()).maxCost).toBe(0)
})

test('a kill takes the descendants along', async () => {
  const agent = await world.skein.spawn({ name: 'doomed', description: 'Work.' })
  const child = await agent.spawn({ name: 'child', description: 'Part.' })
  await agent.kill()
  expect((await child.status()).phase).toBe('PHASE_CANCELED')
})

describe('lists', () => {
  test('go through all pages, and ask for no page that nobody reads', async () => {
    const parent = await world.skein.spawn({ name: 'many', description: 'Work.' })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await parent.spawn({ name, description: 'Part.' })
    const pages = () => world.proxy.requests.filter(({ url }) => url === '/v1/agents').length
    const before = pages()
    const names = (await collect(parent.children({ pageSize: 2 }))).map(({ agentId }) => agentId.agent[1])
    expect(names).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(pages() - before).toBe(3)
    for await (const { agentId } of parent.children({ pageSize: 2 })) {
      if (agentId.agent[1] === 'd') break
    }
    expect(pages() - before).toBe(4)
  })

  test('are narrowed by label, phase and end', async () => {
    const labels = { suite: 'narrow' }
    const live = await world.skein.spawn({ name: 'narrow-live', description: 'Work.', labels })
    const dead = await world.skein.spawn({ name: 'narrow-dead', description: 'Work.', labels })
    await dead.kill()
    const names = async (filter: Parameters<typeof world.skein.agents>[0]) =>
      (await collect(world.skein.agents({ labels, ...filter }))).map(({ agentId }) => agentId.agent[0])
    expect(await names({})).toEqual([live.id.agent[0]])
    expect(await names({ includeTerminal: true })).toEqual(['narrow-dead', 'narrow-live'])
    expect(await names({ includeTerminal: true, phases: ['PHASE_CANCELED'] })).toEqual(['narrow-dead'])
    expect(await names({ account: 'somebody-else' })).toEqual([])
    expect(() => world.skein.agents({ labels: { a: 'b,c' } })).toThrow(TypeError)
  })

  test('of the timeline go through all pages from any place', async () => {
    const agent = await world.skein.spawn({ name: 'history', description: 'Work.' })
    for (const id of ['1', '2', '3']) await agent.send(id, { id })
    const all = await collect(agent.timeline())
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_event, index) => String(index + 1)))
    expect(await collect(agent.timeline({ pageSize: 2 }))).toEqual(all)
    expect(await collect(agent.timeline({ after: '2', pageSize: 1 }))).toEqual(all.slice(2))
    expect(await collect(agent.timeline({ after: String(all.length) }))).toEqual([])
  })
})

test('who the key acts for, and what was done with it', async () => {
  const { tenant, role } = await world.skein.whoami()
  expect({ tenant, role }).toEqual({ tenant: world.tenant.tenant, role: 'admin' })
  for (const prompt of ['a', 'b', 'c']) await world.skein.catalog.put('persona', 'audited', { prompt })
  const filter = { kind: 'persona', name: 'audited', pageSize: 2 }
  const entries = await collect(world.skein.audit(filter))
  expect(entries.map(({ generation }) => generation)).toEqual(['3', '2', '1'])
  const { nextPageToken } = await world.skein.listAudit(filter)
  expect(await world.skein.listAudit({ ...filter, pageToken: nextPageToken })).toMatchObject({
    entries: entries.slice(2),
    nextPageToken: '',
  })
})

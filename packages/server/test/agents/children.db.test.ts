import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const spawn = (agentId: object, fields: object = {}) =>
  world.admin.post('/v1/agent/spawn', { agentId, description: 'Work.', ...fields })

describe('a child', () => {
  test('is spawned below a live parent, which sees it on its own timeline', async () => {
    const parent = await world.spawn('parent')
    const child = await world.spawn(['parent', 'child'])
    expect(child.agent).toEqual(['parent', 'child'])
    expect(await world.events(parent, 'child.spawned')).toMatchObject([{ child }])
    await world.kill(child)
    expect(await world.events(parent, 'child.phase-changed')).toMatchObject([
      { child, phase: 'PHASE_PENDING' },
      { child, phase: 'PHASE_CANCELED' },
    ])
  })

  test('needs a parent that exists', async () => {
    const answer = await spawn({ agent: ['nobody', 'child'] })
    expect(answer).toMatchObject({ status: 400, reason: 'PARENT_NOT_LIVE', body: { code: 9 } })
  })

  test('needs a parent that has not ended', async () => {
    const parent = await world.spawn('ended')
    await world.kill(parent)
    expect(await spawn({ agent: ['ended', 'child'] })).toMatchObject({
      status: 400,
      reason: 'PARENT_NOT_LIVE',
      body: { code: 9 },
    })
  })

  test('is at most eight levels deep', async () => {
    const path = ['l1']
    await world.spawn(path)
    for (let level = 2; level <= 8; level++) {
      path.push(`l${level}`)
      await world.spawn([...path])
    }
    const tooDeep = await spawn({ agent: [...path, 'l9'] })
    expect(tooDeep).toMatchObject({ status: 400, body: { code: 3 }, fields: ['agentId.agent'] })
  })

  test('gets the owner of its parent when the caller names that owner', async () => {
    await world.spawn('graces', { agentId: { account: 'grace' } })
    const child = await world.spawn(['graces', 'child'], { agentId: { account: 'grace' } })
    expect(child.account).toBe('grace')
  })

  test('stays alive and visible when its parent completes', async () => {
    const { agentId: parent, run } = await world.running('completing')
    const child = await world.spawn(['completing', 'child'])
    await world.complete(run, { reason: 'finished' })
    expect(await world.phase(parent)).toBe('PHASE_COMPLETED')
    expect(await world.phase(child)).toBe('PHASE_PENDING')
    const { body } = await world.admin.post('/v1/agents', { parentId: parent })
    expect(body['entries']).toMatchObject([{ agentId: child }])
    expect(await spawn({ agent: ['completing', 'late'] })).toMatchObject({ reason: 'PARENT_NOT_LIVE' })
  })

  test('gets at most what the budgets above it leave', async () => {
    const usage = { cost: 4, inputTokens: '0', cachedInputTokens: '0', outputTokens: '0' }
    const { agentId, run } = await world.running('budget', { maxCost: 10 })
    await world.beat(run, { usage })
    const greedy = await world.spawn(['budget', 'greedy'], { maxCost: 100 })
    const modest = await world.spawn(['budget', 'modest'], { maxCost: 2.5 })
    const none = await world.spawn(['budget', 'none'])
    expect((await world.status(greedy)).maxCost).toBe(6)
    expect((await world.status(modest)).maxCost).toBe(2.5)
    expect((await world.status(none)).maxCost).toBe(0)
    const grandchild = await world.spawn(['budget', 'modest', 'deep'], { maxCost: 9 })
    expect((await world.status(grandchild)).maxCost).toBe(2.5)
    await world.beat(await world.take(modest), { usage })
    expect(await world.status(agentId)).toMatchObject({ cost: 4, treeCost: 8, maxCost: 10 })
  })
})

describe('the workspace of an agent that names none', () => {
  test('is the one named default while the tenant has several', async () => {
    const tenant = await world.server.createTenant()
    const other = await AgentWorld.in(world.server, tenant)
    await tenant.admin.write('workspace', 'shop', {})
    expect((await other.spawn('only')).workspace).toBe('shop')
    await tenant.admin.write('workspace', 'blog', {})
    expect((await other.spawn('several')).workspace).toBe('default')
  })

  test('is its parent’s for a child', async () => {
    await world.admin.write('workspace', 'shop', {})
    await world.admin.write('workspace', 'blog', {})
    await world.spawn('shopper', { agentId: { workspace: 'shop' } })
    expect((await world.spawn(['shopper', 'child'])).workspace).toBe('shop')
  })

  test('is that of the parent which is alive, where an ended one has the same path', async () => {
    const ended = await world.spawn('twice', { agentId: { workspace: 'blog' } })
    await world.kill(ended)
    await world.spawn('twice', { agentId: { workspace: 'shop' } })
    expect((await world.spawn(['twice', 'child'])).workspace).toBe('shop')
  })

  test('must exist where one is named', async () => {
    const answer = await spawn({ agent: ['lost'], workspace: 'nowhere' })
    expect(answer).toMatchObject({ status: 400, body: { code: 3 }, fields: ['agentId.workspace'] })
  })

  test('brings its repositories, pool, persona and model', async () => {
    await world.admin.write('pool', 'big', { build: { name: 'v7' } })
    await world.admin.write('persona', 'reviewer', { prompt: 'Review.' })
    await world.admin.write('workspace', 'full', {
      repos: [{ url: 'https://git.example.com/a.git' }, { url: 'https://git.example.com/b.git' }],
      pool: 'big',
      persona: 'reviewer',
      model: 'gpt-5.5',
    })
    const agentId = await world.spawn('full', { agentId: { workspace: 'full' } })
    expect(await world.status(agentId)).toMatchObject({
      repos: ['https://git.example.com/a.git', 'https://git.example.com/b.git'],
      persona: 'reviewer',
      backend: 'b',
      model: 'gpt-5.5',
      build: 'v7',
    })
  })
})

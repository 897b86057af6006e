import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const keyOf = (runKey: string) => world.tenant.client(runKey)

describe('the key of a run', () => {
  test('says who it is: the agent’s owner, in the role of a run', async () => {
    const { run } = await world.running('who')
    const { body } = must(await keyOf(run.runKey).get('/v1/whoami'))
    expect(body).toMatchObject({ account: 'ada', role: 'run', token: 'run of who' })
  })

  test('reads and drives the agent and everyone below it', async () => {
    const { agentId, run } = await world.running('top')
    const by = keyOf(run.runKey)
    expect((await world.status(agentId, by)).phase).toBe('PHASE_RUNNING')
    const child = await world.spawn(['top', 'child'], {}, by)
    const grandchild = await world.spawn(['top', 'child', 'grandchild'], {}, by)
    must(await world.queue(grandchild, {}, by))
    must(await by.post('/v1/agent/tasks/create', { agentId, tasks: [{ subject: 'Think' }] }))
    const { entries } = must(await by.post('/v1/agents', {})).body
    expect(entries).toMatchObject([{ agentId: child }])
    must(await by.post('/v1/agent/kill', { agentId: child }))
    expect(await world.phase(grandchild)).toBe('PHASE_CANCELED')
  })

  test('sees nothing else: a parent, a sibling and a stranger do not exist for it', async () => {
    const parent = await world.spawn('house')
    const sibling = await world.spawn(['house', 'sister'])
    const stranger = await world.spawn('stranger')
    const { run } = await world.running(['house', 'brother'])
    const by = keyOf(run.runKey)
    for (const agentId of [parent, sibling, stranger]) {
      for (const path of ['status', 'wait', 'timeline', 'tasks', 'kill', 'clear-follow-ups', 'watch']) {
        expect(await by.post(`/v1/agent/${path}`, { agentId })).toMatchObject({
          reason: 'AGENT_NOT_FOUND',
        })
      }
      expect(await world.queue(agentId, {}, by)).toMatchObject({ reason: 'AGENT_NOT_FOUND' })
    }
    expect(await by.post('/v1/agents', { parentId: parent })).toMatchObject({
      reason: 'AGENT_NOT_FOUND',
    })
  })

  test('spawns nowhere but below its agent', async () => {
    const { run } = await world.running('nest')
    const by = keyOf(run.runKey)
    for (const agent of [['elsewhere'], ['stranger', 'child'], ['nest']]) {
      const answer = await by.post('/v1/agent/spawn', { agentId: { agent }, description: 'Work.' })
      expect(answer.status).not.toBe(200)
    }
    const minted = await by.post('/v1/agent/spawn', { description: 'Work.' })
    expect(minted).toMatchObject({ reason: 'AGENT_NOT_FOUND' })
  })

  test('does not open the catalog, the audit log or the runners’ calls, and cannot raise a budget', async () => {
    const { agentId, run } = await world.running('poor', { maxCost: 1 })
    const by = keyOf(run.runKey)
    for (const answer of [
      await by.get('/v1/catalog/token'),
      await by.get('/v1/audit'),
      await by.post('/v1/runner/poll', { capacity: 1 }),
      await by.post('/v1/agent/budget', { agentId, maxCost: 100 }),
    ]) {
      expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    }
  })

  test('dies with the run', async () => {
    const { run } = await world.running('brief')
    await world.complete(run, { reason: 'rested' })
    expect((await keyOf(run.runKey).get('/v1/whoami')).status).toBe(401)
  })

  test('dies with its attempt', async () => {
    const { agentId, run } = await world.running('twice')
    const error = { code: 'odd', message: 'Odd', isRetryable: true }
    await world.complete(run, { reason: 'failed', error })
    await world.skipBackOff()
    const second = await world.take(agentId)
    expect((await keyOf(run.runKey).get('/v1/whoami')).status).toBe(401)
    expect((await keyOf(second.runKey).get('/v1/whoami')).status).toBe(200)
  })

  test('cannot be forged or changed', async () => {
    const { run } = await world.running('forged')
    const last = run.runKey.at(-1) === 'A' ? 'B' : 'A'
    for (const key of [
      'skr_',
      'skr_v1.x.y.z',
      run.runKey.slice(0, -1) + last,
      `${run.runKey}A`,
      run.runKey.slice(0, 40),
    ]) {
      expect((await keyOf(key).get('/v1/whoami')).status).toBe(401)
    }
  })
})

import type { AgentId, TimelineEvent } from '@skein/contract'
import { type TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'
import { AgentWorld, must } from './agent-world.ts'

const READS = ['status', 'timeline', 'tasks', 'wait', 'watch']
let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  must(await world.admin.write('workspace', 'shop', {}))
})

afterAll(() => world.close())

const spawn = (name: string, description = 'Work.') =>
  world.spawn(name, { agentId: { workspace: 'shop' }, description })

async function createLink(name: string, agent: string): Promise<TestClient> {
  const link = { workspace: 'shop', agent: [agent], account: 'ada' }
  const { document } = must(await world.admin.write('share-link', name, link))
  return world.tenant.client(String(document['key']))
}

async function patchLink(name: string, fields: object): Promise<void> {
  const updateMask = Object.keys(fields).join()
  must(await world.admin.write('share-link', name, fields, { updateMask }))
}

async function respawn(agentId: AgentId, description: string): Promise<void> {
  await world.kill(agentId)
  await spawn(agentId.agent.join(), description)
}

function unknownLink({ key = '' }: TestClient): TestClient {
  return world.tenant.client(key.replace(/^skl_(.)(.)/, 'skl_$2$1'))
}

describe('a share link is for one incarnation of its agent', () => {
  test('a later agent with the same name is not shown: the link immediately counts as unknown', async () => {
    const agentId = await spawn('phoenix')
    const guest = await createLink('phoenix', 'phoenix')
    expect((await guest.post('/v1/agent/status', { agentId })).status).toBe(200)
    await respawn(agentId, 'Something confidential.')
    for (const path of READS) {
      const answer = await guest.post(`/v1/agent/${path}`, { agentId })
      expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
      expectSameAnswer(answer, await unknownLink(guest).post(`/v1/agent/${path}`, { agentId }))
    }
    for (const path of ['/v1/share', '/v1/whoami']) expect((await guest.get(path)).status).toBe(401)
  })

  test('its agent is still shown after it has ended', async () => {
    const agentId = await spawn('ended')
    const guest = await createLink('ended', 'ended')
    await world.kill(agentId)
    expect((await guest.post('/v1/agent/status', { agentId })).body).toMatchObject({
      phase: 'PHASE_CANCELED',
    })
  })

  test('what earlier incarnations did is not shown', async () => {
    const agentId = await spawn('reborn', 'An old secret.')
    await respawn(agentId, 'New work.')
    const guest = await createLink('reborn', 'reborn')
    const { text, body } = must(await guest.post('/v1/agent/timeline', { agentId }))
    expect(text).not.toContain('An old secret.')
    const [first] = body['events'] as TimelineEvent[]
    expect(first).toMatchObject({ type: 'agent.spawned', description: 'New work.', incarnation: '2' })
    expect(JSON.stringify(await world.timeline(agentId))).toContain('An old secret.')
  })

  test('a link created before the agent shows its first incarnation only', async () => {
    const guest = await createLink('early', 'early')
    const agentId = await spawn('early')
    expect((await guest.post('/v1/agent/status', { agentId })).status).toBe(200)
    await respawn(agentId, 'Again.')
    expect((await guest.post('/v1/agent/status', { agentId })).status).toBe(401)
  })

  test('other changes to the link do not make it show the later incarnation; pointing it elsewhere and back does', async () => {
    const agentId = await spawn('moving')
    const guest = await createLink('moving', 'moving')
    await respawn(agentId, 'Again.')
    await patchLink('moving', { description: 'Still the same.' })
    expect((await guest.get('/v1/share')).status).toBe(401)
    await patchLink('moving', { agent: ['elsewhere'] })
    await patchLink('moving', { agent: ['moving'] })
    expect((await guest.post('/v1/agent/status', { agentId })).status).toBe(200)
  })

  test('nobody can choose the incarnation by writing it', async () => {
    const agentId = await spawn('chosen')
    const link = { workspace: 'shop', agent: ['chosen'], account: 'ada', incarnation: 2 }
    const { document } = must(await world.admin.write('share-link', 'chosen', link))
    expect(document['incarnation']).toBe(1)
    await respawn(agentId, 'Again.')
    const guest = world.tenant.client(String(document['key']))
    expect((await guest.get('/v1/share')).status).toBe(401)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const spawn = (name: string, agentId: object) =>
  world.admin.post('/v1/agent/spawn', { agentId: { agent: [name], ...agentId }, description: 'Work.' })

const ofProfile = (account: string) => ({
  workspace: 'default',
  ownerProvider: 'PROVIDER_SERVICE_PROFILE',
  account,
})

describe('an agent of a service profile', () => {
  test('needs the profile to exist', async () => {
    const refused = await spawn('nightly', ofProfile('night'))
    expect(refused).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: ['agentId.account'] })
    await world.admin.write('profile', 'night', {})
    expect((await spawn('nightly', ofProfile('night'))).status).toBe(200)
  })
})

describe('what a live agent uses cannot be deleted', () => {
  test.each([
    ['workspace', async () => ({ workspace: 'used-workspace' })],
    [
      'pool',
      async () => {
        await world.admin.write('workspace', 'in-pool', { pool: 'used-pool' })
        return { workspace: 'in-pool' }
      },
    ],
    ['profile', async () => ofProfile('used-profile')],
  ] as const)('%s', async (kind, place) => {
    const name = `used-${kind}`
    await world.admin.write(kind, name, {})
    const agent = `user-of-${kind}`
    const answer = await spawn(agent, await place())
    expect(answer.status).toBe(200)
    const agentId = answer.body['agentId'] as Parameters<AgentWorld['kill']>[0]
    // The agent stays in its pool for life, whatever its workspace says later.
    if (kind === 'pool') await world.admin.write('workspace', 'in-pool', {})
    const refused = await world.admin.delete(`/v1/catalog/${kind}/${name}`)
    expect(refused).toMatchObject({ status: 400, reason: 'RESOURCE_IN_USE', body: { code: 9 } })
    expect(refused.text).toContain(`${agentId.workspace}/${agent}`)
    await world.kill(agentId)
    expect((await world.admin.delete(`/v1/catalog/${kind}/${name}`)).status).toBe(200)
  })

  test('but a shadow of a built-in can', async () => {
    await world.admin.write('pool', 'default', {})
    await world.spawn('in-default')
    expect((await world.admin.delete('/v1/catalog/pool/default')).status).toBe(200)
  })

  test('also at the moment when an agent is spawned: one of both is refused', async () => {
    for (let round = 0; round < 6; round++) {
      const workspace = `raced-${round}`
      await world.admin.write('workspace', workspace, {})
      const [spawned, deleted] = await Promise.all([
        spawn('racer', { workspace }),
        world.admin.delete(`/v1/catalog/workspace/${workspace}`),
      ])
      expect(spawned.status === 200).toBe(deleted.status === 400)
    }
  })
})

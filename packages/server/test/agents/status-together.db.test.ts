import type { AgentId, AgentStatus } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

test('concurrent requests each get the agent they asked for, of their own tenant', async () => {
  const rival = await world.server.createTenant()
  const names = Array.from({ length: 40 }, (_none, index) => `agent-${index}`)
  for (const name of names) {
    await world.spawn(name, { description: `ours ${name}` })
    if (name.endsWith('0')) {
      const agentId = { workspace: 'default', agent: [name] }
      must(await rival.admin.post('/v1/agent/spawn', { agentId, description: `theirs ${name}` }))
    }
  }
  const asks = [...names, 'nobody', ...names].flatMap((name) =>
    [world.admin, rival.admin].map(async (client) => {
      const agentId = { workspace: 'default', agent: [name] } as AgentId
      const { status, body } = await client.post('/v1/agent/status', { agentId })
      const { description } = body as unknown as AgentStatus
      const exists = name !== 'nobody' && (client === world.admin || name.endsWith('0'))
      const whose = client === world.admin ? 'ours' : 'theirs'
      expect([name, status, exists ? description : undefined]).toEqual(
        exists ? [name, 200, `${whose} ${name}`] : [name, 404, undefined],
      )
    }),
  )
  await Promise.all(asks)
})

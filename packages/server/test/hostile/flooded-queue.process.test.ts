import { machineNow } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { readQueue } from '../follow-ups/read-queue.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

test(
  'with 900 messages of 250 kB the status stays small and quick, and all can be read page by page',
  { timeout: 300_000 },
  async () => {
    await world.admin.write('quota', 'default', {
      queuedBytesPerAgent: 1_000_000_000,
      queuedBytes: 1_000_000_000,
    })
    const agentId = await world.spawn('flooded')
    const description = 'x'.repeat(250_000)
    let accepted = 0
    for (let index = 0; index < 900; index += 10) {
      const batch = Array.from({ length: 10 }, (_, offset) => `m${index + offset}`)
      const answers = await Promise.all(
        batch.map((followUpId) => world.queue(agentId, { followUpId, description })),
      )
      accepted += answers.filter(({ status }) => status === 200).length
    }
    expect(accepted).toBe(900)
    const startedAt = machineNow()
    const status = await world.admin.post('/v1/agent/status', { agentId })
    const tookMs = machineNow() - startedAt
    expect(status.text.length).toBeLessThan(100_000)
    expect(tookMs).toBeLessThan(1_000)
    expect(status.body['followUps']).toHaveLength(20)
    expect(status.body['followUpCount']).toBe(accepted + 1)
    const { all, largest } = await readQueue(world, agentId)
    expect(all).toHaveLength(accepted + 1)
    expect(all.slice(1).every((message) => message.description === description)).toBe(true)
    expect(largest).toBeLessThan(1_300_000)
  },
)

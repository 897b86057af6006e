import { PullRequestStore } from '@skein/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

test('an agent’s pull requests are its own, the newest first, with checks and conflicts', async () => {
  const { agentId, run } = await world.running('opener')
  const { agentId: other } = await world.running('other')
  const [, agentUuid = ''] = run.lease.split('.')
  await world.server.engine.database.forTenant(world.tenant.id, async (transaction) => {
    for (let number = 1; number <= 12; number += 1) {
      const name = `shop-${number}`
      const place = { name, agentId: agentUuid, workspace: 'default', account: 'ada', agent: 'opener' }
      const there = {
        codeHost: 'github',
        owner: 'acme',
        repository: 'shop',
        number,
        url: `https://x.test/${number}`,
      }
      const facts = {
        title: 'Retry',
        state: 'open',
        draft: false,
        head: 'skein/opener',
        base: 'main',
      } as const
      await new PullRequestStore(transaction).put({ ...place, ...there, ...facts }, number * 1000)
    }
  })
  await world.sql(
    `update pull_request set is_conflicting = true, review = '{"checks":"failing","rounds":2}' where name = 'shop-12'`,
  )
  const { body } = must(await world.admin.post('/v1/agent/pull-requests', { agentId }))
  const found = body['pullRequests'] as { number: number }[]
  expect(found.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  expect(found[0]).toMatchObject({
    name: 'shop-12',
    repository: 'acme/shop',
    state: 'open',
    checks: 'failing',
    isConflicting: true,
    rounds: 2,
    review: 'watching',
  })
  expect(found[0]).not.toHaveProperty('threads')
  const none = must(await world.admin.post('/v1/agent/pull-requests', { agentId: other }))
  expect(none.body).toEqual({ pullRequests: [] })
})

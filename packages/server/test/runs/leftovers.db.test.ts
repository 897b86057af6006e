import type { AgentId, Leftover } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld
let neighbour: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  neighbour = await AgentWorld.in(world.server, await world.server.createTenant())
})

afterAll(() => world.close())

/** An agent that ended this many days ago. */
async function ended(name: string, days: number): Promise<AgentId> {
  const { agentId, run } = await world.running(name)
  await world.complete(run, { reason: 'finished', session: `saved-${name}` })
  const at = new Date(Date.now() - days * 86_400_000)
  await world.sql(
    `update leftover l set ended_at = $2 from agent a where a.id = l.agent_id and a.key like '%/' || $1`,
    [name, at],
  )
  await world.sql(
    `update agent set state = jsonb_set(state::jsonb, '{endedAt}', to_jsonb($2::bigint))::json
     where key like '%/' || $1`,
    [name, at.getTime()],
  )
  return agentId
}

async function take(removed: readonly string[] = [], by = world): Promise<readonly Leftover[]> {
  const { body } = must(await by.runner.post('/v1/runner/leftovers', { removed }))
  return body['leftovers'] as Leftover[]
}

test('the data of an ended agent is assigned to one runner once its retention is over, until it is removed', async () => {
  await ended('fresh', 29)
  const agentId = await ended('old', 31)
  expect(await take([], neighbour)).toEqual([])
  const [leftover, ...others] = await take()
  expect(leftover).toMatchObject({ agentId, session: 'saved-old', repos: [] })
  expect(others).toEqual([])
  expect(await take()).toEqual([])
  // Another tenant's runner cannot say that it is gone.
  await take([leftover?.id ?? ''], neighbour)
  expect(await world.sql('select from leftover where not is_removed')).toHaveLength(2)
  await take([leftover?.id ?? ''])
  expect(await world.sql('select from leftover where not is_removed')).toHaveLength(1)
})

test('a runner that dies over it leaves it to the next, ten times at most', async () => {
  await ended('stuck', 40)
  for (let attempt = 1; attempt <= 10; attempt++) {
    expect(await take()).toHaveLength(1)
    await world.sql(`update leftover set claimed_until = '-infinity'`)
  }
  expect(await take()).toEqual([])
})

test('an agent that is spawned again has left nothing behind, unless it is being removed right now', async () => {
  const agentId = await ended('back', 50)
  await world.spawn('back')
  expect(await take()).toEqual([])
  expect(await world.take(agentId)).toMatchObject({ session: '', discarded: 'saved-back' })

  await ended('late', 50)
  const [leftover] = await take()
  const spawn = { agentId: { agent: ['late'] }, description: 'Again.' }
  expect(await world.admin.post('/v1/agent/spawn', spawn)).toMatchObject({
    status: 409,
    reason: 'AGENT_BEING_REMOVED',
  })
  await take([leftover?.id ?? ''])
  expect((await world.admin.post('/v1/agent/spawn', spawn)).status).toBe(200)
})

test('an agent that never ran leaves nothing behind', async () => {
  const agentId = await world.spawn('unborn')
  await world.kill(agentId)
  const rows = await world.sql(
    `select l.is_removed from leftover l join agent a on a.id = l.agent_id where a.key like '%/unborn'`,
  )
  expect(rows).toEqual([{ is_removed: true }])
})

import { PullRequestStore } from '@skein/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must, type StartedRun } from '../agents/agent-world.ts'

let world: AgentWorld

/** Numbers say how new they are. */
async function propose(
  { agentId, run }: StartedRun,
  numbers: readonly number[],
  state: 'open' | 'merged' = 'open',
): Promise<void> {
  const agent = agentId.agent.join('/')
  await world.server.engine.database.forTenant(world.tenant.id, async (transaction) => {
    for (const number of numbers) {
      const place = { name: `${agent.replace('/', '-')}-${number}`, agentId: run.lease.split('.')[1] ?? '' }
      const whose = { workspace: 'default', account: 'ada', agent }
      const there = { codeHost: 'github', owner: 'acme', repository: 'shop', number, url: 'https://x.test/1' }
      const facts = { title: 'Retry', state, draft: false, head: `skein/${agent}`, base: 'main' }
      await new PullRequestStore(transaction).put({ ...place, ...whose, ...there, ...facts }, number * 1000)
    }
  })
}

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

test('an agent’s pull requests are its own, the newest first, with checks and conflicts', async () => {
  const opener = await world.running('opener')
  const { agentId } = opener
  const { agentId: other } = await world.running('other')
  await propose(
    opener,
    Array.from({ length: 12 }, (_, index) => index + 1),
  )
  await world.sql(
    `update pull_request set is_conflicting = true, review = '{"checks":"failing","rounds":2}' where name = 'opener-12'`,
  )
  const { body } = must(await world.admin.post('/v1/agent/pull-requests', { agentId }))
  const found = body['pullRequests'] as { number: number }[]
  expect(found.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  expect(found[0]).toMatchObject({
    name: 'opener-12',
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

interface Found {
  readonly agents: readonly {
    readonly agentId: { readonly agent: readonly string[] }
    readonly pullRequest: { readonly number: number; readonly state: string }
    readonly openCount: number
  }[]
}

const path = '/v1/fleet/pull-requests'
async function chiefs(agentIds: readonly object[], by = world.admin) {
  const { agents } = must(await by.post(path, { agentIds })).body as unknown as Found
  return agents
    .map(
      ({ agentId, pullRequest, openCount }) =>
        `${agentId.agent.join('/')} ${pullRequest.number} ${openCount}`,
    )
    .sort((left, right) => left.localeCompare(right))
}

test('many agents have their newest open pull request listed, or else the newest, in one request', async () => {
  const open = await world.running('open')
  const done = await world.running('done')
  const { agentId: none } = await world.running('none')
  await propose(open, [1, 2])
  await propose(open, [3], 'merged')
  await propose(done, [1, 2], 'merged')
  const missing = { ...none, agent: ['nobody'] }
  const asked = [open.agentId, done.agentId, none, missing, open.agentId]
  expect(await chiefs(asked)).toEqual(['done 2 0', 'open 2 2'])
  const { body } = must(await world.admin.post(path, { agentIds: [done.agentId] }))
  expect((body as unknown as Found).agents[0]).toMatchObject({
    agentId: done.agentId,
    pullRequest: { name: 'done-2', state: 'merged', repository: 'acme/shop', checks: 'none' },
  })
  // The same names in another tenant are other agents; an operator looks there with its name.
  const rival = await world.server.createTenant()
  const bare = { workspace: open.agentId.workspace, agent: ['open'], account: open.agentId.account }
  expect(await chiefs([bare], rival.admin)).toEqual([])
  const hidden = await rival.admin.post(path, { agentIds: [open.agentId] })
  const absent = await rival.admin.post(path, {
    agentIds: [{ ...open.agentId, tenant: { ...open.agentId.tenant, org: 'no-such-org' } }],
  })
  expect(hidden.status).toBe(404)
  expect(hidden.body).toEqual(absent.body)
})

test('a run sees only its own pull requests and those below it', async () => {
  const parent = await world.running('parent')
  const child = await world.running(['parent', 'child'])
  const stranger = await world.running('stranger')
  for (const started of [parent, child, stranger]) await propose(started, [1])
  const asked = [parent, child, stranger].map(({ agentId }) => agentId)
  const run = world.tenant.client(parent.run.runKey)
  expect(await chiefs(asked, run)).toEqual(['parent 1 1', 'parent/child 1 1'])
})

test('what no agent can be called is refused, and so are more agents than a page has', async () => {
  const named = { workspace: 'default', agent: ['a'] }
  const refused = [
    [],
    Array.from({ length: 101 }, () => named),
    [{ workspace: 'default' }],
    [{ agent: ['a'] }],
    [{ ...named, agent: ['a\0'] }],
    [{ ...named, account: 'a\0b' }],
    [{ ...named, account: '\ud83d' }],
    [named, { ...named, tenant: { org: 'elsewhere' } }],
  ]
  for (const agentIds of refused) expect((await world.admin.post(path, { agentIds })).status).toBe(400)
})

import type { AgentId, AgentStatus, Phase, ResponseOf, summarizeFleet } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

type Summary = ResponseOf<typeof summarizeFleet>

let world: AgentWorld
beforeAll(async () => {
  world = await AgentWorld.start()
  await world.admin.write('workspace', 'shop', { repos: [] })
})
afterAll(() => world.close())

async function summarize(body: object = {}, by = world.admin): Promise<Summary> {
  return must(await by.post('/v1/fleet/summary', body)).body as unknown as Summary
}
const agentsIn = ({ phases }: Summary, phase: Phase): number =>
  phases.find((part) => part.phase === phase)?.agents ?? -1

/** The same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const usageOf = (random: () => number) => ({
  cost: Math.round(random() * 1_000_000) / 1_000_000,
  inputTokens: String(Math.floor(random() * 10_000)),
  cachedInputTokens: '0',
  outputTokens: String(Math.floor(random() * 1_000)),
})

test('a fleet without agents has zeros for every phase and hour', async () => {
  const summary = await summarize({ account: '*', hours: 3 })
  expect(summary.phases.map(({ agents }) => agents)).toEqual([0, 0, 0, 0, 0, 0])
  expect(summary.spend).toHaveLength(3)
  expect(summary).toMatchObject({ needsInput: 0, costTotal: 0, workspaces: [] })
  expect((await summarize()).spend).toHaveLength(24)
  expect((await summarize({ hours: 168 })).spend).toHaveLength(168)
  for (const hours of [0, 169, 1.5])
    expect(await world.admin.post('/v1/fleet/summary', { hours })).toMatchObject({ status: 400 })
})

test('counts and sums match the agents after random histories', { timeout: 60_000 }, async () => {
  const random = createRandom(7)
  const agentIds: AgentId[] = []
  const outcomes = ['rested', 'asked', 'finished', 'failed'] as const
  for (let index = 0; index < 24; index += 1) {
    const parent = index % 3 === 2 ? agentIds.at(-1) : undefined
    const workspace = parent?.workspace ?? (random() < 0.5 ? 'default' : 'shop')
    const agent = [...(parent?.agent ?? []), `n${index}`]
    if (parent && (await world.status(parent)).endTime !== '') continue
    const agentId = await world.spawn(agent, { agentId: { workspace } })
    agentIds.push(agentId)
    if (random() < 0.2) continue
    const run = await world.take(agentId)
    for (let beat = 0; beat < 3; beat += 1) must(await world.beat(run, { usage: usageOf(random) }))
    if (random() < 0.2) continue
    const reason = outcomes[Math.floor(random() * outcomes.length)] ?? 'rested'
    await world.complete(run, {
      reason,
      usage: usageOf(random),
      ...(reason === 'asked' && { needsInput: 'What now?' }),
      ...(reason === 'failed' && { error: { code: 'X', message: 'Broken.', isRetryable: false } }),
    })
    if (random() < 0.2) await world.kill(agentId)
  }
  // One that had ended lives again.
  const ended = (await statuses(agentIds)).find(
    ({ endTime, agentId }) => endTime !== '' && agentId.agent.length === 1,
  )
  if (ended) await world.spawn(ended.agentId.agent, { agentId: { workspace: ended.agentId.workspace } })

  const all = await statuses(agentIds)
  const summary = await summarize({ account: '*' })
  for (const { phase, agents } of summary.phases)
    expect([phase, agents]).toEqual([phase, all.filter((agent) => agent.phase === phase).length])
  expect(summary.needsInput).toBe(all.filter(({ needsInput }) => needsInput !== '').length)
  expect(micros(summary.costTotal)).toBe(sum(all, ({ cost }) => micros(cost)))
  expect(sum(summary.spend, ({ cost }) => micros(cost))).toBe(micros(summary.costTotal))
  expect(sum(summary.spend, (hour) => Number(hour.inputTokens))).toBe(sum(all, (a) => Number(a.inputTokens)))
  expect(sum(summary.spend, (hour) => Number(hour.outputTokens))).toBe(
    sum(all, (a) => Number(a.outputTokens)),
  )
  for (const { workspace, agents, cost } of summary.workspaces) {
    const own = all.filter(({ agentId }) => agentId.workspace === workspace)
    expect(agents).toBe(own.filter(({ phase }) => isLive(phase)).length)
    expect(micros(cost)).toBe(sum(own, (agent) => micros(agent.cost)))
    const alone = await summarize({ account: '*', workspace })
    expect(alone.costTotal).toBe(cost)
    expect(alone.workspaces).toEqual([{ workspace, agents, cost }])
  }
  expect(summary.workspaces.map(({ workspace }) => workspace)).toEqual(['default', 'shop'])
})

test('a summary counts the account that is asked for, and no other tenant', async () => {
  const carol = await world.tenant.as('member', 'carol')
  await world.spawn('hers', {}, carol)
  expect((await summarize({}, carol)).workspaces).toEqual([{ workspace: 'shop', agents: 1, cost: 0 }])
  expect(agentsIn(await summarize({ account: 'carol' }), 'PHASE_PENDING')).toBe(1)
  const rival = await world.server.createTenant()
  expect((await summarize({ account: '*' }, rival.admin)).workspaces).toEqual([])
})

test('the key of a run sums up its own subtree', async () => {
  const { agentId, run } = await world.running('boss')
  const by = world.tenant.client(run.runKey)
  await world.spawn(['boss', 'aide'])
  await world.kill(await world.spawn(['boss', 'lost']))
  must(await world.beat(run, { usage: { ...usageOf(() => 0.5), cost: 0.25 } }))
  const summary = await summarize({ account: '*' }, by)
  expect(summary.phases.map(({ agents }) => agents)).toEqual([1, 1, 0, 0, 0, 1])
  expect(summary).toMatchObject({
    costTotal: 0.25,
    workspaces: [{ workspace: 'shop', agents: 2, cost: 0.25 }],
  })
  expect(summary.spend.at(-1)).toMatchObject({ cost: 0.25, inputTokens: '5000', outputTokens: '500' })
  await world.kill(agentId)
})

test('spend of concurrent commands is added up', async () => {
  const before = (await summarize({ account: '*' })).costTotal
  const runs = await Promise.all(Array.from({ length: 12 }, (_, index) => world.running(`busy${index}`)))
  const usage = { cost: 0.001, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
  await Promise.all(
    runs.flatMap(({ run }) => Array.from({ length: 10 }, async () => must(await world.beat(run, { usage })))),
  )
  const after = (await summarize({ account: '*' })).costTotal
  expect(micros(after) - micros(before)).toBe(120_000)
})

test('the counts that are kept are those of the agents', async () => {
  const [difference] = await world.sql(
    `select count(*)::int as n from (
       select tenant_id, workspace, account, sum(pending) p, sum(running) r, sum(waiting) w, sum(asking) a
       from fleet_count group by 1, 2, 3
       having sum(pending) <> 0 or sum(running) <> 0 or sum(waiting) <> 0 or sum(asking) <> 0
     ) kept full join (
       select tenant_id, workspace, account, count(*) filter (where phase = 'PHASE_PENDING') p,
         count(*) filter (where phase = 'PHASE_RUNNING') r, count(*) filter (where phase = 'PHASE_WAITING') w,
         count(*) filter (where is_asking(phase, state)) a
       from agent where not is_terminal group by 1, 2, 3
     ) counted using (tenant_id, workspace, account, p, r, w, a)
     where kept.p is null or counted.p is null`,
  )
  expect(difference).toEqual({ n: 0 })
})

const statuses = (agentIds: readonly AgentId[]): Promise<AgentStatus[]> =>
  Promise.all(agentIds.map((agentId) => world.status(agentId)))
const micros = (dollars: number): number => Math.round(dollars * 1_000_000)
const sum = <Item>(items: readonly Item[], read: (item: Item) => number): number =>
  items.reduce((total, item) => total + read(item), 0)
const isLive = (phase: Phase): boolean =>
  phase === 'PHASE_PENDING' || phase === 'PHASE_RUNNING' || phase === 'PHASE_WAITING'

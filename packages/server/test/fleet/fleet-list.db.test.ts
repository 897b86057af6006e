import type { AgentId, FleetEntry } from '@skein/contract'
import type { TestClient, TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld
let rival: TestTenant
let carol: TestClient
let team: AgentId

/** Two trees and two roots of others, with some that have ended. */
beforeAll(async () => {
  world = await AgentWorld.start()
  rival = await world.server.createTenant()
  carol = await world.tenant.as('member', 'carol')
  team = await world.spawn('team', { labels: { env: 'dev', team: 'pay' } })
  await world.spawn(['team', 'kid'], { labels: { env: 'dev' } })
  await world.spawn(['team', 'kid', 'baby'])
  await world.kill(await world.spawn(['team', 'lost']))
  await world.spawn('teammate')
  await world.kill(await world.spawn('gone', { labels: { env: 'dev' } }))
  await world.resting('calm', { labels: { env: 'prod', team: 'pay' } })
  await world.spawn('hers', {}, carol)
  await world.spawn(['hers', 'help'], {}, carol)
  await world.admin.write('workspace', 'shop', { repos: [] })
  await world.spawn('clerk', { agentId: { workspace: 'shop' } })
})

afterAll(() => world.close())

interface FleetPage {
  readonly entries: readonly FleetEntry[]
  readonly nextPageToken: string
  readonly cursor: string
}

const post = (body: object = {}, by = world.admin) => by.post('/v1/fleet', body)
async function list(body: object = {}, by = world.admin): Promise<FleetPage> {
  return must(await post(body, by)).body as unknown as FleetPage
}
const nameOf = ({ agentId }: FleetEntry): string => agentId.agent.join('/')
const names = async (body: object = {}, by = world.admin): Promise<string[]> =>
  (await list(body, by)).entries.map(nameOf)

test('a fleet has the caller’s live agents of all levels, newest first', async () => {
  expect(await names()).toEqual(['clerk', 'calm', 'teammate', 'team/kid/baby', 'team/kid', 'team'])
  expect(await names({}, carol)).toEqual(['hers/help', 'hers'])
})

test('an entry contains what a list of many agents needs', async () => {
  const tasks = [
    { id: 'one', subject: 'One' },
    { id: 'two', subject: 'Two', status: 'TASK_STATUS_COMPLETED' },
  ]
  const description = `${'d'.repeat(199)}😀 and more`
  const agentId = await world.spawn('told', { description, tasks, maxCost: 2.5, labels: { a: 'b' } })
  const run = await world.take(agentId)
  await world.complete(run, { reason: 'asked', message: 'm'.repeat(300), needsInput: 'Which one?' })
  const [entry] = (await list({ under: agentId })).entries
  const status = await world.status(agentId)
  expect(entry).toMatchObject({
    agentId,
    phase: 'PHASE_WAITING',
    createTime: status.createTime,
    endTime: '',
    labels: { a: 'b' },
    persona: status.persona,
    model: status.model,
    maxCost: 2.5,
    budgetReached: 0,
    runCount: '1',
    errorMessage: '',
    openTasks: 1,
    totalTasks: 2,
    description: 'd'.repeat(199),
    lastMessage: 'm'.repeat(200),
    needsInput: status.needsInput,
  })
  await world.kill(agentId)
})

describe('a fleet is narrowed', () => {
  test('by account, which means what it means for a list', async () => {
    for (const account of ['', '*', 'carol', 'codehost_oauth/carol', 'idp_oidc/carol', 'nobody']) {
      const roots = must(await world.admin.post('/v1/agents', { account })).body['entries'] as FleetEntry[]
      const fleet = (await names({ account })).filter((name) => !name.includes('/'))
      expect(fleet).toEqual(roots.map(nameOf))
    }
    expect(await post({ account: 'github/carol' })).toMatchObject({ status: 400, fields: ['account'] })
  })

  test('by whether agents have ended', async () => {
    const live = await names()
    const all = await names({ includeTerminal: true })
    expect(all.filter((name) => !live.includes(name))).toEqual(['told', 'gone', 'team/lost'])
    expect(all.filter((name) => live.includes(name))).toEqual(live)
    expect(
      await names({ includeTerminal: true, phases: ['PHASE_CANCELED'], labelSelector: 'env=dev' }),
    ).toEqual(['gone'])
  })

  test('by phases, labels and workspace', async () => {
    expect(await names({ phases: ['PHASE_WAITING'] })).toEqual(['calm'])
    expect(await names({ phases: ['PHASE_UNSPECIFIED'] })).toHaveLength(6)
    expect(await names({ labelSelector: 'env=dev' })).toEqual(['team/kid', 'team'])
    expect(await names({ labelSelector: 'env=dev,team=pay' })).toEqual(['team'])
    expect(await names({ workspace: 'shop' })).toEqual(['clerk'])
    expect(await names({ workspace: 'nowhere' })).toEqual([])
    expect(await names({ workspace: 'default', account: 'carol' })).toEqual(['hers/help', 'hers'])
  })

  test('to a tree, which is not confused with a root of a longer name', async () => {
    expect(await names({ under: team })).toEqual(['team/kid/baby', 'team/kid', 'team'])
    expect(await names({ under: team, includeTerminal: true })).toContain('team/lost')
    expect(await names({ under: { ...team, agent: ['team', 'kid'] } })).toEqual(['team/kid/baby', 'team/kid'])
    expect(await names({ under: team, phases: ['PHASE_WAITING'] })).toEqual([])
    expect(await names({ under: { ...team, account: 'carol', agent: ['hers'] } })).toEqual([
      'hers/help',
      'hers',
    ])
    const missing = await post({ under: { ...team, agent: ['nobody'] } })
    expect(missing).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })
})

test('another tenant sees none of it, and may not ask for it', async () => {
  expect(await names({ account: '*', includeTerminal: true }, rival.admin)).toEqual([])
  const foreign = await post({ account: '*', tenant: world.tenant.tenant }, rival.admin)
  expect(foreign).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
  expect(await names({ account: '*', tenant: world.tenant.tenant }, rival.operator)).toContain('hers/help')
})

test('the key of a run sees its own subtree and nothing else', async () => {
  const { agentId, run } = await world.running('boss')
  const by = world.tenant.client(run.runKey)
  await world.spawn(['boss', 'aide'])
  expect(await names({}, by)).toEqual(['boss/aide', 'boss'])
  expect(await names({ account: '*', includeTerminal: true }, by)).toEqual(['boss/aide', 'boss'])
  expect(await names({ under: { ...agentId, agent: ['boss', 'aide'] } }, by)).toEqual(['boss/aide'])
  expect(await post({ under: team }, by)).toMatchObject({ reason: 'AGENT_NOT_FOUND' })
  await world.kill(agentId)
})

test('pages show each agent once while others are spawned', async () => {
  const other = await AgentWorld.in(world.server, rival)
  for (let index = 0; index < 23; index += 1) await other.spawn(`p${index}`)
  const seen: string[] = []
  let pageToken = ''
  do {
    const page = await list({ pageSize: 5, pageToken }, rival.admin)
    seen.push(...page.entries.map(nameOf))
    pageToken = page.nextPageToken
    await other.spawn(`later${seen.length}`)
  } while (pageToken !== '')
  expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => `p${22 - index}`))
})

test('pages of live and ended agents together are in one order', async () => {
  const whole = await names({ account: '*', includeTerminal: true })
  const seen: string[] = []
  let pageToken = ''
  do {
    const page = await list({ account: '*', includeTerminal: true, pageSize: 2, pageToken })
    seen.push(...page.entries.map(nameOf))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  expect(seen).toEqual(whole)
})

test('a token of another list, or of nothing, is refused', async () => {
  const { nextPageToken } = must(await world.admin.post('/v1/agents', { pageSize: 1 })).body
  for (const pageToken of [nextPageToken, 'x', (await list()).cursor])
    expect(await post({ pageToken })).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
})

test('an entry says when the next deferred message is due', async () => {
  const agentId = await world.resting('patient')
  const [later = '', sooner = ''] = [5, 2].map((hours) =>
    new Date(Date.now() + hours * 3_600_000).toISOString(),
  )
  for (const deliverAt of [later, sooner]) must(await world.queue(agentId, { deliverAt }))
  expect((await list({ under: agentId })).entries).toMatchObject([{ nextDeliverAt: sooner }])
})

test('an entry says how much of its budget an agent and its children have spent, as people are told', async () => {
  const { agentId, run } = await world.running('spender', { maxCost: 1 })
  const child = await world.running(['spender', 'child'])
  const reached = async () => (await list({ under: agentId })).entries.map((one) => one.budgetReached)
  const spend = (lease: typeof run, cost: number) =>
    world.beat(lease, { usage: { cost, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' } })
  await spend(run, 0.7)
  expect(await reached()).toEqual([0, 0])
  await spend(child.run, 0.1)
  expect(await reached()).toEqual([0, 80])
  await spend(run, 0.2)
  expect(await reached()).toEqual([0, 100])
  must(await world.admin.post('/v1/agent/budget', { agentId, maxCost: 5 }))
  expect(await reached()).toEqual([0, 0])
  await world.kill(agentId)
})

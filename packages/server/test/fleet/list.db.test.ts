import type { AgentEntry, AgentId } from '@skein/contract'
import type { TestClient, TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgeToken } from '../catalog/documents.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld
let rival: TestTenant
let carol: TestClient

/** Roots of three owners and one ended; `team` has two children of which one has ended. */
beforeAll(async () => {
  world = await AgentWorld.start()
  rival = await world.server.createTenant()
  carol = await world.tenant.as('member', 'carol')
  await world.spawn('team', { labels: { env: 'dev', team: 'pay' } })
  await world.spawn(['team', 'kid'])
  await world.kill(await world.spawn(['team', 'lost']))
  await world.kill(await world.spawn('gone', { labels: { env: 'dev' } }))
  await world.resting('calm', { labels: { env: 'prod', team: 'pay' } })
  await world.spawn('hers', {}, carol)
  await world.admin.write('profile', 'ci', {})
  await world.spawn('robots', { agentId: { account: 'ci', ownerProvider: 'PROVIDER_SERVICE_PROFILE' } })
})

afterAll(() => world.close())

const list = (body: object = {}, by = world.admin) => by.post('/v1/agents', body)
async function names(body: object = {}, by = world.admin): Promise<string[]> {
  const { entries } = must(await list(body, by)).body as { entries: AgentEntry[] }
  return entries.map(({ agentId }) => agentId.agent.join('/'))
}

test('a list shows the caller’s own live root agents, newest first', async () => {
  expect(await names()).toEqual(['calm', 'team'])
  expect(await names({ account: '' }, carol)).toEqual(['hers'])
})

test('an entry contains everything that the contract names', async () => {
  const { entries } = (await list()).body as { entries: AgentEntry[] }
  expect(entries[0]).toEqual({
    agentId: await world.status({ agent: ['calm'], workspace: 'default' } as AgentId).then((s) => s.agentId),
    phase: 'PHASE_WAITING',
    cost: 0,
    progressAt: expect.stringMatching(/^2.*Z$/) as string,
    repos: [],
    dashboardUrl: expect.stringContaining('/agents/') as string,
    inputTokens: '0',
    cachedInputTokens: '0',
    outputTokens: '0',
    totalTokens: '0',
    needsInput: '',
    pendingReason: '',
    pendingUntil: '',
  })
})

describe('the account of a list', () => {
  test('* is every account', async () => {
    expect(await names({ account: '*' })).toEqual(['robots', 'hers', 'calm', 'team'])
  })

  test('as a bare name is one under the caller’s provider', async () => {
    expect(await names({ account: 'carol' })).toEqual(['hers'])
    expect(await names({ account: 'ci' })).toEqual([])
    expect(await names({ account: 'nobody' })).toEqual([])
  })

  test('with a provider is one under that provider', async () => {
    expect(await names({ account: 'service_profile/ci' })).toEqual(['robots'])
    expect(await names({ account: 'codehost_oauth/carol' })).toEqual(['hers'])
    expect(await names({ account: 'idp_oidc/carol' })).toEqual([])
  })

  test('with a provider that nobody knows is refused', async () => {
    for (const account of ['github/carol', 'unspecified/carol', '/carol']) {
      expect(await list({ account })).toMatchObject({ status: 400, fields: ['account'] })
    }
  })
})

describe('agents that have ended', () => {
  test('are listed only when asked for, which does not widen the account', async () => {
    expect(await names({ includeTerminal: true })).toEqual(['calm', 'gone', 'team'])
    expect(await names({ includeTerminal: false })).toEqual(['calm', 'team'])
    expect(await names({ includeTerminal: true, account: 'carol' })).toEqual(['hers'])
  })

  test('are found by their phase when they are asked for', async () => {
    expect(await names({ includeTerminal: true, phases: ['PHASE_CANCELED'] })).toEqual(['gone'])
    expect(await names({ phases: ['PHASE_WAITING', 'PHASE_RUNNING'] })).toEqual(['calm', 'team'])
    expect(await names({ phases: ['PHASE_WAITING'] })).toEqual(['calm'])
    expect(await names({ phases: ['PHASE_UNSPECIFIED'] })).toEqual(['calm', 'team'])
    expect((await list({ phases: ['PHASE_ASLEEP'] })).fields).toEqual(['phases[0]'])
  })
})

describe('the children of a parent', () => {
  const parentId = { agent: ['team'], workspace: 'default' }

  test('are listed one level deep', async () => {
    await world.spawn(['team', 'kid', 'grandkid'])
    expect(await names({ parentId })).toEqual(['team/kid'])
    expect(await names({ parentId, includeTerminal: true })).toEqual(['team/lost', 'team/kid'])
    expect(await names({ parentId: { ...parentId, agent: ['team', 'kid'] } })).toEqual(['team/kid/grandkid'])
  })

  test('of an agent without any are an empty list', async () => {
    expect(await names({ parentId: { ...parentId, agent: ['calm'] } })).toEqual([])
  })

  test('of an agent that does not exist are not found', async () => {
    const missing = await list({ parentId: { ...parentId, agent: ['nobody'] } })
    expect(missing).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND', body: { code: 5 } })
  })

  test('need a parent that is named whole', async () => {
    expect((await list({ parentId: { agent: ['team'] } })).fields).toEqual(['parentId.workspace'])
  })
})

describe('the tenant of a list', () => {
  test('is the caller’s own, which it may also name', async () => {
    expect(await names({ tenant: world.tenant.tenant })).toEqual(['calm', 'team'])
    expect(await names({}, rival.admin)).toEqual([])
    expect(await names({ account: '*', includeTerminal: true }, rival.admin)).toEqual([])
  })

  test('of someone else is not found, like one that does not exist', async () => {
    const others = await list({ tenant: rival.tenant })
    const missing = await list({ tenant: { ...rival.tenant, org: 'no-such-org' } })
    expect(others).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
    expect(others.text).toBe(missing.text)
  })

  test('may be any for an operator, and the entries then name that tenant', async () => {
    const { tenant } = world.tenant
    const { entries } = must(await list({ tenant, account: 'ada' }, rival.operator)).body as {
      entries: AgentEntry[]
    }
    expect(entries.map(({ agentId }) => [agentId.agent[0], agentId.tenant.org])).toEqual([
      ['calm', tenant.org],
      ['team', tenant.org],
    ])
    const parentId = { tenant, account: 'ada', agent: ['team'], workspace: 'default' }
    const children = must(await list({ parentId }, rival.operator)).body as { entries: AgentEntry[] }
    expect(children.entries).toMatchObject([{ agentId: { agent: ['team', 'kid'], tenant } }])
  })
})

describe('labels', () => {
  test('must all match', async () => {
    expect(await names({ labelSelector: 'team=pay' })).toEqual(['calm', 'team'])
    expect(await names({ labelSelector: 'team=pay, env = dev' })).toEqual(['team'])
    expect(await names({ labelSelector: 'env=dev', includeTerminal: true })).toEqual(['gone', 'team'])
    expect(await names({ labelSelector: 'env=de' })).toEqual([])
    expect(await names({ labelSelector: '' })).toEqual(['calm', 'team'])
  })

  test('are asked for as name=value', async () => {
    for (const labelSelector of ['env', '=dev', 'env=dev,', 'ENV=dev']) {
      expect(await list({ labelSelector })).toMatchObject({ status: 400, fields: ['labelSelector'] })
    }
  })
})

describe('pages of a list', () => {
  test('continue where the previous one ended, without repeats or gaps', async () => {
    const all = await names({ account: '*', includeTerminal: true })
    const seen: string[] = []
    let pageToken = ''
    do {
      const { body } = must(await list({ account: '*', includeTerminal: true, pageSize: 2, pageToken }))
      const entries = body['entries'] as AgentEntry[]
      expect(entries.length).toBeLessThanOrEqual(2)
      seen.push(...entries.map(({ agentId }) => agentId.agent.join('/')))
      pageToken = String(body['nextPageToken'])
    } while (pageToken !== '')
    expect(seen).toEqual(all)
  })

  test('hold when agents are spawned in the meantime', async () => {
    const other = await AgentWorld.in(world.server, await world.server.createTenant())
    for (const name of ['a', 'b', 'c', 'd']) await other.spawn(name)
    const first = must(await list({ pageSize: 2 }, other.admin)).body
    await other.spawn('e')
    const second = await names({ pageToken: first['nextPageToken'] }, other.admin)
    expect(second).toEqual(['b', 'a'])
    expect((await list({ pageToken: first['nextPageToken'] }, other.admin)).body['nextPageToken']).toBe('')
  })

  test('have 1 to 1,000 entries', async () => {
    for (const pageSize of [0, -1, 1001, 1.5]) expect((await list({ pageSize })).fields).toEqual(['pageSize'])
    expect(await names({ pageSize: 1000 })).toEqual(['calm', 'team'])
  })

  test('are named by tokens of this list alone', async () => {
    const uuid = '00000000-0000-0000-0000-000000000000'
    const forged = ['x', forgeToken([]), forgeToken(['audit', '1', uuid]), forgeToken(['agents', 'x', uuid])]
    for (const pageToken of forged) {
      expect(await list({ pageToken })).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
    }
  })
})

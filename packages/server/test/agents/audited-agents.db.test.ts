import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieFor, SAME_ORIGIN } from '../browser.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('workspace', 'shop', {})
})

afterAll(() => server.close())

interface Entry {
  readonly operation: string
  readonly kind: string
  readonly name: string
  readonly account: string
  readonly role: string
  readonly justification: string
  readonly requestId: string
}

async function entries(query: string): Promise<Entry[]> {
  const { body } = await acme.admin.get(`/v1/audit?${query}`)
  return body['entries'] as Entry[]
}

const ACME = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' }
const agent = (name: string) => ({ tenant: ACME, workspace: 'shop', agent: [name], account: 'ada' })

/** Everything that changes an agent, as an operator of another tenant would send it. */
const CHANGES: readonly (readonly [string, object])[] = [
  ['/v1/agent/spawn', { agentId: agent('new'), description: 'Work.' }],
  ['/v1/agent/queue', { agentId: agent('bird'), description: 'Go on.' }],
  ['/v1/agent/queue/remove', { agentId: agent('bird'), followUpId: 'x' }],
  ['/v1/agent/clear-follow-ups', { agentId: agent('bird') }],
  ['/v1/agent/stop-turn', { agentId: agent('bird'), runId: '1' }],
  ['/v1/agent/tasks/create', { agentId: agent('bird'), tasks: [{ subject: 'One.' }] }],
  ['/v1/agent/tasks/update', { agentId: agent('bird'), tasks: [{ id: 'x', subject: 'y' }] }],
  ['/v1/agent/budget', { agentId: agent('bird'), maxCost: 5 }],
  ['/v1/agent/kill', { agentId: agent('bird') }],
]

describe('an operator who changes another tenant’s agents', () => {
  test.each(CHANGES)('is refused at %s without saying why', async (path, body) => {
    expect(await rival.operator.post(path, body)).toMatchObject({
      status: 400,
      reason: 'JUSTIFICATION_REQUIRED',
    })
  })

  test('leaves every change in that tenant’s audit, with the reason in its own words', async () => {
    await acme.admin.post('/v1/agent/spawn', { agentId: agent('bird'), description: 'Work.' })
    const headers = { 'x-skein-justification': encodeURIComponent('Ticket 7 – „später“') }
    for (const [path, body] of CHANGES) await rival.operator.post(path, body, { headers })
    const found = await entries('kind=agent&account=olga')
    expect(found.map(({ operation, name }) => `${operation} ${name}`).toReversed()).toEqual([
      'spawnAgent shop/new',
      'queueFollowUp shop/bird',
      'clearFollowUps shop/bird',
      'createTasks shop/bird',
      'setBudget shop/bird',
      'killAgent shop/bird',
    ])
    expect(new Set(found.map(({ justification }) => justification))).toEqual(new Set(['Ticket 7 – „später“']))
    expect(found.every(({ role, requestId }) => role === 'operator' && requestId !== '')).toBe(true)
  })

  test('reads without being asked why', async () => {
    expect((await rival.operator.post('/v1/agent/status', { agentId: agent('bird') })).status).toBe(200)
  })

  test('gets an error if its message is not text', async () => {
    const headers = { 'x-skein-justification': '%zz' }
    const answer = await rival.operator.post('/v1/agent/kill', { agentId: agent('new') }, { headers })
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
  })
})

describe('the audit', () => {
  test('has the spawns, budgets and kills of a tenant’s own people, once however often they are sent', async () => {
    const bob = await acme.as('member', 'bob')
    const agentId = { workspace: 'shop', agent: ['bobs'] }
    const headers = { 'idempotency-key': 'once' }
    for (const _try of [1, 2])
      await bob.post('/v1/agent/spawn', { agentId, description: 'Work.' }, { headers })
    await bob.post('/v1/agent/queue', { agentId, description: 'Go on.' })
    await bob.post('/v1/agent/budget', { agentId, maxCost: 3 })
    await bob.post('/v1/agent/kill', { agentId })
    await bob.post('/v1/agent/kill', { agentId })
    const found = await entries('kind=agent&account=bob')
    expect(found.map(({ operation }) => operation)).toEqual(['killAgent', 'setBudget', 'spawnAgent'])
  })

  test('has sign-ins and sign-outs, with the session that they are about', async () => {
    const vera = await acme.as('viewer', 'vera')
    const cookie = await cookieFor(server, vera)
    const headers = { cookie, ...SAME_ORIGIN }
    await server.anonymous.delete('/v1/session', { headers })
    const found = await entries('kind=session&account=vera')
    expect(found.map(({ operation }) => operation)).toEqual(['signOut', 'signIn'])
    expect(new Set(found.map(({ name }) => name)).size).toBe(1)
  })
})

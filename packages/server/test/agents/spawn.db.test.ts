import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_PUBLIC_URL: 'https://skein.example.com' } })
})

afterAll(() => world.close())

const spawn = (body: object, by = world.admin) =>
  by.post('/v1/agent/spawn', { description: 'Work.', ...body })
const named = (...agent: string[]) => ({ agentId: { agent } })

describe('a spawned agent', () => {
  test('is answered with its whole identity, its first message and where to look at it', async () => {
    const { status, body } = await spawn(named('whole'))
    expect(status).toBe(200)
    expect(body['agentId']).toEqual({
      tenant: world.tenant.tenant,
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      agent: ['whole'],
      workspace: 'default',
    })
    expect(body['followUpId']).toMatch(/^[0-9a-f-]{36}$/)
    expect(body['dashboardUrl']).toBe('https://skein.example.com/agents/codehost_oauth/ada/default/whole')
  })

  test('is pending with a first run that nobody has begun', async () => {
    const agentId = await world.spawn('fresh', { description: 'Do it.', expectedOutput: 'A branch.' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_PENDING',
      description: 'Do it.',
      expectedOutput: 'A branch.',
      runCount: '1',
      run: { runId: '1', state: 'RUN_STATE_QUEUED', attempt: 1, startTime: '', endReason: '' },
      followUps: [{ description: 'Do it.', state: 'QUEUED', deliverAt: '' }],
      persona: 'default',
      backend: 'a',
      model: 'claude-sonnet-5',
      cost: 0,
      totalTokens: '0',
      endTime: '',
    })
  })

  test('gets its description, output and checklist into the first run', async () => {
    const { run } = await world.running('first', {
      description: 'Do it.',
      expectedOutput: 'A branch.',
      tasks: [{ id: 'one', subject: 'One' }],
    })
    expect(run).toMatchObject({
      runId: '1',
      attempt: 1,
      description: 'Do it.',
      expectedOutput: 'A branch.',
      messages: [{ description: 'Do it.' }],
      tasks: [{ id: 'one', status: 'TASK_STATUS_PENDING' }],
      pool: 'default',
    })
    expect(run.prompt).not.toBe('')
  })

  test('without a path gets a name of its own that is fit to be sent back', async () => {
    const names = new Set<string>()
    for (let count = 0; count < 5; count++) {
      const { body } = await spawn({})
      const { agent } = body['agentId'] as AgentId
      expect(agent).toHaveLength(1)
      expect(agent[0]).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      names.add(String(agent[0]))
      expect((await world.admin.post('/v1/agent/status', { agentId: body['agentId'] })).status).toBe(200)
    }
    expect(names.size).toBe(5)
  })

  test('needs a description of at most 256 KiB', async () => {
    expect((await world.admin.post('/v1/agent/spawn', {})).fields).toEqual(['description'])
    expect((await spawn({ description: '' })).fields).toEqual(['description'])
    expect((await spawn({ description: 'é'.repeat(131_073) })).fields).toEqual(['description'])
    expect((await spawn({ description: 'é'.repeat(131_072) })).status).toBe(200)
  })

  test('has a path whose elements are lower-case names', async () => {
    for (const bad of ['', 'Fix', '-fix', 'fix-', 'a.b', 'a/b', 'a'.repeat(64)]) {
      const answer = await spawn(named(bad))
      expect([bad, answer.status, answer.body['code'], answer.fields]).toEqual([
        bad,
        400,
        3,
        ['agentId.agent[0]'],
      ])
    }
    expect((await spawn(named('a'.repeat(63)))).status).toBe(200)
  })

  test('keeps its labels and refuses ones that are not well-formed', async () => {
    const agentId = await world.spawn('labelled', { labels: { team: 'payments', 'a.b/c': '' } })
    expect((await world.status(agentId)).labels).toEqual({ team: 'payments', 'a.b/c': '' })
    expect((await spawn({ labels: { 'Not a label': 'x' } })).status).toBe(400)
  })

  test('is not taken from a request with a field that nobody knows', async () => {
    expect(await spawn({ descripton: 'x' })).toMatchObject({ status: 400, fields: ['descripton'] })
  })
})

describe('a name that is taken', () => {
  test('by a live agent is refused as already existing, whatever its phase', async () => {
    const pending = await world.spawn('taken')
    const refused = await spawn(named('taken'))
    expect(refused).toMatchObject({ status: 409, reason: 'AGENT_ALREADY_EXISTS', body: { code: 6 } })
    const run = await world.take(pending)
    expect((await spawn(named('taken'))).status).toBe(409)
    await world.complete(run, { reason: 'rested' })
    expect((await spawn(named('taken'))).status).toBe(409)
  })

  test('over an ended agent starts a new incarnation whose run numbers keep counting', async () => {
    const agentId = await world.resting('reborn', { labels: { life: 'first' } })
    await world.queue(agentId)
    await world.kill(agentId)
    expect((await world.status(agentId)).runCount).toBe('2')
    await world.spawn('reborn', { description: 'Again.' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_PENDING',
      runCount: '3',
      run: { runId: '3' },
      description: 'Again.',
      labels: {},
      endTime: '',
      followUps: [{ description: 'Again.' }],
    })
    const lives = await world.events(agentId, 'agent.spawned')
    expect(lives.map(({ incarnation }) => incarnation)).toEqual(['1', '2'])
    const stale = await world.stop(agentId, '2')
    expect(stale).toMatchObject({ status: 400, reason: 'RUN_NOT_CURRENT' })
  })

  test('keeps what the earlier incarnation spent, and its timeline continues without a gap', async () => {
    const { agentId, run } = await world.running('spender')
    const usage = { cost: 1.25, inputTokens: '10', cachedInputTokens: '0', outputTokens: '5' }
    await world.complete(run, { reason: 'finished', usage })
    await world.spawn('spender')
    expect(await world.status(agentId)).toMatchObject({ cost: 1.25, totalTokens: '15' })
    const sequences = (await world.timeline(agentId)).map(({ sequence }) => sequence)
    expect(sequences).toEqual(sequences.map((_, index) => `${index + 1}`))
  })

  test('is another one in another workspace, account or place of the tree', async () => {
    await world.admin.write('workspace', 'shop', {})
    await world.spawn('same', { agentId: { workspace: 'default' } })
    await world.spawn('same', { agentId: { workspace: 'shop' } })
    await world.spawn('same', { agentId: { account: 'grace' } })
    await world.admin.write('profile', 'ci', {})
    await world.spawn('same', { agentId: { account: 'ci', ownerProvider: 'PROVIDER_SERVICE_PROFILE' } })
    await world.spawn(['same', 'same'], { agentId: { workspace: 'default' } })
    expect((await spawn({ agentId: { agent: ['same'], workspace: 'shop' } })).status).toBe(409)
  })
})

describe('who owns a spawned agent', () => {
  test('is the caller where no account is given, and exactly who is named where one is', async () => {
    const carol = await world.tenant.as('member', 'carol')
    expect((await world.spawn('own', {}, carol)).account).toBe('carol')
    const given = { account: 'Någon Annan', ownerProvider: 'PROVIDER_IDP_OIDC' }
    expect(await world.spawn('given', { agentId: given })).toMatchObject(given)
  })

  test('takes the caller’s provider for a bare account and a bare provider as it was sent', async () => {
    expect(await world.spawn('bare-account', { agentId: { account: 'grace' } })).toMatchObject({
      account: 'grace',
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    })
    const provider = { ownerProvider: 'PROVIDER_IDP_OIDC' }
    expect(await world.spawn('bare-provider', { agentId: provider })).toMatchObject({
      account: 'ada',
      ...provider,
    })
  })
})

test('concurrent spawns under one key create one agent, named or not', async () => {
  for (const agentId of [{ agent: ['burst'] }, {}]) {
    const headers = { 'idempotency-key': `burst-${JSON.stringify(agentId)}` }
    const body = { agentId, description: 'Once.', labels: { burst: 'yes' } }
    const send = () => world.admin.post('/v1/agent/spawn', body, { headers })
    const answers = await Promise.all(Array.from({ length: 20 }, send))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(answers.filter((answer) => answer.headers['idempotent-replay'] === 'true')).toHaveLength(19)
  }
  const listed = await world.admin.post('/v1/agents', { labelSelector: 'burst=yes' })
  expect(listed.body['entries']).toHaveLength(2)
})

test('a spawn’s key that comes again with another body is refused', async () => {
  const headers = { 'idempotency-key': 'other-body' }
  await world.admin.post('/v1/agent/spawn', { description: 'One.' }, { headers })
  const other = await world.admin.post('/v1/agent/spawn', { description: 'Two.' }, { headers })
  expect(other).toMatchObject({ status: 400, reason: 'IDEMPOTENCY_KEY_REUSED' })
})

test('a spawn’s key replays the answer even after the agent has ended', async () => {
  const headers = { 'idempotency-key': 'ended' }
  const send = () => world.admin.post('/v1/agent/spawn', { ...named('ended'), description: 'x' }, { headers })
  const first = await send()
  await world.kill(first.body['agentId'] as AgentId)
  expect(await send()).toMatchObject({ status: 200, text: first.text })
  expect(await world.phase(first.body['agentId'] as AgentId)).toBe('PHASE_CANCELED')
})

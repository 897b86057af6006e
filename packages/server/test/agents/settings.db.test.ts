import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  // Of several workspaces the one named default is taken.
  for (const name of ['modelled', 'plain']) await world.admin.write('workspace', name, {})
})

afterAll(() => world.close())

const A = 'claude-sonnet-5'
const B = 'gpt-5.5'
const spawn = (fields: object) => world.admin.post('/v1/agent/spawn', { description: 'Work.', ...fields })

async function settingsOf(fields: object) {
  return world.status(must(await spawn(fields)).body['agentId'] as AgentId)
}

/** Delivers a message and ends its turn. */
async function turn(agentId: AgentId, fields: Readonly<Record<string, unknown>> = {}) {
  must(await world.queue(agentId, fields))
  const run = await world.take(agentId)
  await world.complete(run, { reason: 'rested' })
  return run
}

describe('the model of a new agent', () => {
  test('is the one asked for, then the persona’s, then the workspace’s, then the backend’s default', async () => {
    await world.admin.write('persona', 'modelled', { model: 'claude-opus-5' })
    await world.admin.write('workspace', 'modelled', { model: 'gpt-5.5-mini' })
    const agentId = { workspace: 'modelled' }
    const both = { agent: 'modelled', agentId }
    expect(await settingsOf({ ...both, model: 'claude-haiku-5' })).toMatchObject({ model: 'claude-haiku-5' })
    expect(await settingsOf(both)).toMatchObject({ model: 'claude-opus-5', backend: 'a' })
    expect(await settingsOf({ agentId })).toMatchObject({ model: 'gpt-5.5-mini', backend: 'b' })
    expect(await settingsOf({ agentId: { workspace: 'default' } })).toMatchObject({ model: A, backend: 'a' })
  })

  test('decides the backend, and one that no backend has is refused', async () => {
    expect(await settingsOf({ model: B })).toMatchObject({ model: B, backend: 'b' })
    const unknown = await spawn({ model: 'llama-9' })
    expect(unknown).toMatchObject({ status: 400, reason: 'MODEL_SETTINGS_INVALID', fields: ['model'] })
  })
})

describe.each([
  { backend: 'a', model: A, efforts: ['low', 'medium', 'high', 'xhigh', 'max'], tiers: [] as string[] },
  {
    backend: 'b',
    model: B,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    tiers: ['standard', 'fast', 'flex'],
  },
])('on backend $backend', ({ backend, model, efforts, tiers }) => {
  const wrongEffort = backend === 'a' ? 'none' : 'max'
  const wrongTiers = backend === 'a' ? ['standard', 'fast', 'flex', 'gold'] : ['gold', 'FAST']

  test('a spawn accepts exactly the backend’s efforts and tiers', async () => {
    for (const reasoningEffort of efforts) expect((await spawn({ model, reasoningEffort })).status).toBe(200)
    for (const serviceTier of tiers) expect((await spawn({ model, serviceTier })).status).toBe(200)
    for (const reasoningEffort of [wrongEffort, 'extreme']) {
      expect(await spawn({ model, reasoningEffort })).toMatchObject({
        status: 400,
        body: { code: 3 },
        fields: ['reasoningEffort'],
      })
    }
    for (const serviceTier of wrongTiers) {
      expect(await spawn({ model, serviceTier })).toMatchObject({ status: 400, fields: ['serviceTier'] })
    }
  })

  test('a follow-up accepts exactly the backend’s models, efforts and tiers', async () => {
    const agentId = await world.spawn(`follow-${backend}`, { model })
    for (const reasoningEffort of efforts)
      expect((await world.queue(agentId, { reasoningEffort })).status).toBe(200)
    for (const serviceTier of tiers) expect((await world.queue(agentId, { serviceTier })).status).toBe(200)
    const refused = [
      { reasoningEffort: wrongEffort },
      { reasoningEffort: 'extreme' },
      { model: backend === 'a' ? B : A },
      { model: 'llama-9' },
      ...wrongTiers.map((serviceTier) => ({ serviceTier })),
    ]
    for (const fields of refused) {
      expect(await world.queue(agentId, fields)).toMatchObject({
        status: 400,
        reason: 'MODEL_SETTINGS_INVALID',
        body: { code: 3 },
        fields: Object.keys(fields),
      })
    }
  })

  test('fast mode is not checked against the backend', async () => {
    const agentId = await world.spawn(`fast-${backend}`, { model, fastMode: true })
    expect((await world.status(agentId)).fastMode).toBe(true)
    expect((await world.queue(agentId, { fastMode: false })).status).toBe(200)
  })
})

describe('an override', () => {
  const schema = '{"type":"object"}'

  test('is in force from its own turn on, and stays until it is changed', async () => {
    const agentId = await world.resting('sticky', { model: B })
    const overrides = {
      model: 'gpt-5.5-mini',
      reasoningEffort: 'low',
      serviceTier: 'flex',
      outputSchema: schema,
    }
    expect(await turn(agentId, { ...overrides, fastMode: true })).toMatchObject({
      ...overrides,
      fastMode: true,
    })
    expect(await turn(agentId)).toMatchObject({ ...overrides, fastMode: true })
    expect(await world.status(agentId)).toMatchObject({ ...overrides, fastMode: true })
    expect(await turn(agentId, { fastMode: false })).toMatchObject({ ...overrides, fastMode: false })
  })

  test('that is empty leaves everything as it is', async () => {
    const agentId = await world.resting('empty', { model: B, reasoningEffort: 'high', serviceTier: 'fast' })
    const empty = { model: '', reasoningEffort: '', serviceTier: '', outputSchema: '', agent: '' }
    expect(await turn(agentId, empty)).toMatchObject({
      model: B,
      reasoningEffort: 'high',
      serviceTier: 'fast',
    })
    expect(await world.events(agentId, 'agent.settings-changed')).toEqual([])
  })

  test('does not touch the turn that is running', async () => {
    const { agentId, run } = await world.running('untouched')
    await world.queue(agentId, { reasoningEffort: 'max' })
    expect((await world.status(agentId)).reasoningEffort).toBe('')
    await world.complete(run, { reason: 'rested' })
    expect((await world.take(agentId)).reasoningEffort).toBe('max')
  })

  test('of the output schema must be a JSON Schema that compiles, of at most 64 KiB', async () => {
    const agentId = await world.spawn('schemas')
    const bad = ['{', '[]', '"x"', '{"type":"no-such-type"}', '{"$ref":"#/nowhere"}']
    for (const outputSchema of bad) {
      expect(await world.queue(agentId, { outputSchema })).toMatchObject({
        status: 400,
        fields: ['outputSchema'],
      })
      expect(await spawn({ outputSchema })).toMatchObject({ status: 400, fields: ['outputSchema'] })
    }
    const outputSchema = `{"description":"${'x'.repeat(64 * 1024)}"}`
    expect(await world.queue(agentId, { outputSchema })).toMatchObject({
      status: 400,
      fields: ['outputSchema'],
    })
    expect((await world.queue(agentId, { outputSchema: schema })).status).toBe(200)
  })

  test('that is refused queues nothing', async () => {
    const { agentId } = await world.running('nothing')
    await world.queue(agentId, { serviceTier: 'fast' })
    expect((await world.status(agentId)).followUps).toEqual([])
  })
})

describe('a switch of the persona', () => {
  test('takes exactly the tasks of the persona before, and brings those of the new one', async () => {
    await world.admin.write('persona', 'writer', { prompt: 'Write.', tasks: [{ subject: 'Spell-check' }] })
    await world.admin.write('persona', 'tester', { prompt: 'Test.', tasks: [{ subject: 'Run the tests' }] })
    const agentId = await world.resting('switching', {
      agent: 'writer',
      tasks: [{ id: 'mine', subject: 'Mine' }],
    })
    const run = await turn(agentId, { agent: 'tester', tasks: [{ id: 'sent', subject: 'Sent' }] })
    expect(run).toMatchObject({ persona: 'tester', prompt: 'Test.' })
    expect(run.tasks.map(({ subject, persona }) => [subject, persona])).toEqual([
      ['Mine', ''],
      ['Run the tests', 'tester'],
      ['Sent', ''],
    ])
    expect(await turn(agentId)).toMatchObject({ persona: 'tester' })
  })

  test('uses the persona’s model if it is valid, and the caller’s if one is given', async () => {
    await world.admin.write('persona', 'opus', { model: 'claude-opus-5', reasoningEffort: 'max' })
    await world.admin.write('persona', 'codex', { model: B, serviceTier: 'flex' })
    const agentId = await world.resting('modelled')
    expect(await turn(agentId, { agent: 'opus' })).toMatchObject({
      model: 'claude-opus-5',
      reasoningEffort: 'max',
    })
    const explicit = { agent: 'opus', model: 'claude-haiku-5' }
    expect(await turn(agentId, explicit)).toMatchObject({ model: 'claude-haiku-5' })
    expect(await turn(agentId, { agent: 'codex' })).toMatchObject({
      persona: 'codex',
      backend: 'a',
      model: 'claude-haiku-5',
      serviceTier: '',
    })
  })

  test('to one that does not exist is refused, at spawn and in a follow-up', async () => {
    const agentId = await world.spawn('no-persona')
    expect(await world.queue(agentId, { agent: 'nobody' })).toMatchObject({ status: 400, fields: ['agent'] })
    expect(await spawn({ agent: 'nobody' })).toMatchObject({ status: 400, fields: ['agent'] })
  })

  test('holds on to the version that was chosen, whatever is written later', async () => {
    await world.admin.write('persona', 'versioned', { prompt: 'Old.' })
    const agentId = await world.resting('versioned', { agent: 'versioned' })
    await world.admin.write('persona', 'versioned', { prompt: 'New.' })
    expect((await turn(agentId)).prompt).toBe('Old.')
    expect((await turn(agentId, { agent: 'versioned' })).prompt).toBe('New.')
  })
})

test('a backend that the tenant has written itself counts instead of the built-in', async () => {
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  await other.admin.write('backend', 'a', {
    models: ['house-*'],
    defaultModel: 'house-1',
    efforts: ['gentle'],
  })
  const agentId = await other.spawn('house', { reasoningEffort: 'gentle' })
  expect(await other.status(agentId)).toMatchObject({
    backend: 'a',
    model: 'house-1',
    reasoningEffort: 'gentle',
  })
  expect((await other.queue(agentId, { model: A })).status).toBe(400)
})

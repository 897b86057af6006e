import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const described = (messages: readonly { description: string }[]) =>
  messages.map(({ description }) => description)
const pending = async (agentId: AgentId) => described((await world.status(agentId)).followUps)

describe('a follow-up', () => {
  test('to an agent that has ended is not found, however it ended', async () => {
    const completed = await world.running('completed')
    await world.complete(completed.run, { reason: 'finished' })
    const failed = await world.running('failed')
    await world.complete(failed.run, { reason: 'failed' })
    const canceled = await world.spawn('canceled')
    await world.kill(canceled)
    for (const agentId of [completed.agentId, failed.agentId, canceled]) {
      const answer = await world.queue(agentId)
      expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_RUNNING', body: { code: 5 } })
    }
  })

  test('to an agent that never existed is not found', async () => {
    const agentId = { agent: ['nobody'], workspace: 'default' } as AgentId
    expect(await world.queue(agentId)).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })

  test('to an ended agent is not found even where its settings would be refused', async () => {
    const agentId = await world.spawn('ended')
    await world.kill(agentId)
    expect((await world.queue(agentId, { model: 'gpt-5.5' })).status).toBe(404)
    expect((await world.queue(agentId, { agent: 'no-such-persona' })).status).toBe(404)
  })

  test('to a running agent waits for the turn and starts the next one', async () => {
    const { agentId, run } = await world.running('busy')
    const queued = await world.queue(agentId, { description: 'Next.' })
    expect(queued.body['followUpId']).toMatch(/^[0-9a-f-]{36}$/)
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_RUNNING',
      followUps: [{ followUpId: queued.body['followUpId'], description: 'Next.', state: 'QUEUED' }],
    })
    expect(await world.hasRun(agentId)).toBe(false)
    await world.complete(run, { reason: 'finished' })
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_PENDING', runCount: '2' })
    expect((await world.take(agentId)).messages).toEqual([
      { followUpId: queued.body['followUpId'], description: 'Next.' },
    ])
  })

  test('wakes an idle agent', async () => {
    const agentId = await world.resting('sleeper')
    expect((await world.queue(agentId, { description: 'Wake up.' })).status).toBe(200)
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_PENDING', runCount: '2' })
    expect(described((await world.take(agentId)).messages)).toEqual(['Wake up.'])
    expect(await world.phase(agentId)).toBe('PHASE_RUNNING')
  })

  test('to a pending agent goes into the run that has not begun', async () => {
    const agentId = await world.spawn('pending', { description: 'First.' })
    await world.queue(agentId, { description: 'Second.' })
    const run = await world.take(agentId)
    expect(described(run.messages)).toEqual(['First.', 'Second.'])
    expect(run.runId).toBe('1')
  })

  test('is on the timeline as queued and then as delivered in its run', async () => {
    const agentId = await world.resting('told')
    await world.queue(agentId, { followUpId: 'told' })
    await world.take(agentId)
    const events = await world.timeline(agentId)
    const queued = events.find(
      (event) => event.type === 'follow-up.queued' && event.followUp.followUpId === 'told',
    )
    const delivered = events.find(
      (event) => event.type === 'follow-up.delivered' && event.followUpId === 'told',
    )
    expect(queued).toMatchObject({ followUp: { state: 'QUEUED', description: 'More.' }, actor: 'ada' })
    expect(delivered).toMatchObject({ runId: '2' })
    expect(Number(delivered?.sequence)).toBeGreaterThan(Number(queued?.sequence))
  })

  test('brings its tasks along when it is delivered', async () => {
    const agentId = await world.resting('tasked')
    await world.queue(agentId, {
      tasks: [{ id: 'extra', subject: 'Extra', persona: 'faked', ephemeral: true }],
    })
    expect((await world.status(agentId)).tasks).toEqual([])
    expect((await world.take(agentId)).tasks).toMatchObject([{ id: 'extra', persona: '', ephemeral: false }])
  })

  test('may say nothing at all, and says at most 256 KiB', async () => {
    const agentId = await world.spawn('sized')
    expect((await world.admin.post('/v1/agent/queue', { agentId })).status).toBe(200)
    expect(await world.queue(agentId, { description: 'é'.repeat(131_073) })).toMatchObject({
      status: 400,
      fields: ['description'],
    })
  })
})

describe('messages are delivered in batches', () => {
  test('of everything that is queued, oldest first', async () => {
    const { agentId, run } = await world.running('batch')
    for (const description of ['One.', 'Two.', 'Three.']) await world.queue(agentId, { description })
    await world.complete(run, { reason: 'rested' })
    expect(described((await world.take(agentId)).messages)).toEqual(['One.', 'Two.', 'Three.'])
  })

  test('that end before the next message with an override, which starts a run of its own', async () => {
    const { agentId, run } = await world.running('override')
    await world.queue(agentId, { description: 'One.' })
    await world.queue(agentId, { description: 'Two.', reasoningEffort: 'low' })
    await world.queue(agentId, { description: 'Three.' })
    await world.queue(agentId, { description: 'Four.', fastMode: true })
    await world.complete(run, { reason: 'rested' })
    const batches: string[][] = []
    for (let count = 0; count < 3; count++) {
      const next = await world.take(agentId)
      batches.push(described(next.messages))
      await world.complete(next, { reason: 'rested' })
    }
    expect(batches).toEqual([['One.'], ['Two.', 'Three.'], ['Four.']])
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
  })
})

describe('an id of the caller’s own', () => {
  test('is answered as it was sent, and an empty one is minted', async () => {
    const agentId = await world.resting('own-id')
    expect((await world.queue(agentId, { followUpId: 'a.B:c_-9' })).body).toEqual({ followUpId: 'a.B:c_-9' })
    expect((await world.queue(agentId, { followUpId: '' })).body['followUpId']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is 1 to 128 characters of a known few', async () => {
    const agentId = await world.spawn('strict-id')
    for (const bad of ['has space', 'slash/', 'ü', 'x'.repeat(129)]) {
      expect(await world.queue(agentId, { followUpId: bad })).toMatchObject({
        status: 400,
        fields: ['followUpId'],
      })
    }
    expect((await world.queue(agentId, { followUpId: 'x'.repeat(128) })).status).toBe(200)
  })

  test('queues once, however often and however differently it is sent', async () => {
    const { agentId, run } = await world.running('once')
    await world.queue(agentId, { followUpId: 'one', description: 'First.' })
    const again = await world.queue(agentId, { followUpId: 'one', description: 'Other.', preempt: true })
    expect(again).toMatchObject({ status: 200, body: { followUpId: 'one' } })
    expect(await pending(agentId)).toEqual(['First.'])
    expect((await world.status(agentId)).run.stopMode).toBe('STOP_TURN_MODE_UNSPECIFIED')
    await world.complete(run, { reason: 'rested' })
    const second = await world.take(agentId)
    expect(described(second.messages)).toEqual(['First.'])
  })

  test('changes nothing once the message is delivered', async () => {
    const agentId = await world.resting('delivered')
    await world.queue(agentId, { followUpId: 'one' })
    await world.complete(await world.take(agentId), { reason: 'rested' })
    expect((await world.queue(agentId, { followUpId: 'one' })).body).toEqual({ followUpId: 'one' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      followUps: [],
      runCount: '2',
    })
  })

  test('changes nothing once the message is cleared', async () => {
    const { agentId } = await world.running('discarded')
    await world.queue(agentId, { followUpId: 'cleared' })
    await world.admin.post('/v1/agent/clear-follow-ups', { agentId })
    const again = await world.queue(agentId, { followUpId: 'cleared' })
    expect(again.body).toEqual({ followUpId: 'cleared' })
    expect(await pending(agentId)).toEqual([])
  })

  test('can be queued again once the message is removed, and then arrives as it was sent last', async () => {
    const agentId = await world.resting('re-armed')
    const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
    await world.queue(agentId, { followUpId: 'one', description: 'Later.', deliverAt })
    await world.admin.post('/v1/agent/queue/remove', { agentId, followUpId: 'one' })
    await world.queue(agentId, { followUpId: 'one', description: 'Now.' })
    await world.queue(agentId, { followUpId: 'one', description: 'Known.' })
    expect(await pending(agentId)).toEqual(['Now.'])
    const run = await world.take(agentId)
    expect(described(run.messages)).toEqual(['Now.'])
    await world.complete(run, { reason: 'rested' })
    await world.queue(agentId, { followUpId: 'one', description: 'Delivered.' })
    expect(await pending(agentId)).toEqual([])
  })

  test('of an earlier incarnation can be reused in a new one', async () => {
    const { agentId, run } = await world.running('reborn')
    await world.queue(agentId, { followUpId: 'one', description: 'First life.' })
    await world.complete(run, { reason: 'rested' })
    await world.take(agentId)
    await world.kill(agentId)
    await world.spawn('reborn')
    await world.queue(agentId, { followUpId: 'one', description: 'Second life.' })
    const next = await world.take(agentId)
    expect(described(next.messages)).toEqual(['Work.', 'Second life.'])
  })

  test('is answered after the agent has ended, because the message was accepted', async () => {
    const { agentId, run } = await world.running('late-retry')
    await world.queue(agentId, { followUpId: 'one' })
    await world.complete(run, { reason: 'failed' })
    expect(await world.queue(agentId, { followUpId: 'one' })).toMatchObject({
      status: 200,
      body: { followUpId: 'one' },
    })
    expect((await world.queue(agentId, { followUpId: 'two' })).status).toBe(404)
  })

  test('is answered even when a setting that it came with is valid no more', async () => {
    const agentId = await world.resting('stale-setting')
    await world.admin.write('persona', 'passing', {})
    await world.queue(agentId, { followUpId: 'one', agent: 'passing' })
    await world.admin.delete('/v1/catalog/persona/passing')
    expect((await world.queue(agentId, { followUpId: 'one', agent: 'passing' })).status).toBe(200)
  })

  test('of another agent is another message', async () => {
    const [one, other] = [await world.spawn('one-of-two'), await world.spawn('two-of-two')]
    await world.queue(one, { followUpId: 'shared' })
    await world.queue(other, { followUpId: 'shared' })
    expect(await pending(other)).toEqual(['Work.', 'More.'])
  })
})

test('20 concurrent requests under one key queue one message', async () => {
  const { agentId } = await world.running('keyed')
  const headers = { 'idempotency-key': 'queue-burst' }
  const send = () => world.admin.post('/v1/agent/queue', { agentId, description: 'Once.' }, { headers })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers['idempotent-replay'] === 'true')).toHaveLength(19)
  expect(await pending(agentId)).toEqual(['Once.'])
})

test('50 concurrent messages are all queued, each once, and delivered in the order of the timeline', async () => {
  const { agentId, run } = await world.running('crowd')
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
  await Promise.all(ids.map((followUpId) => world.queue(agentId, { followUpId })))
  const order = (await world.events(agentId, 'follow-up.queued')).map(({ followUp }) => followUp.followUpId)
  await world.complete(run, { reason: 'rested' })
  const { messages } = await world.take(agentId)
  expect(messages.map(({ followUpId }) => followUpId)).toEqual(order.slice(1))
  expect(messages.map(({ followUpId }) => followUpId).toSorted()).toEqual(ids.toSorted())
})

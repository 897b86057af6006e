import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const spawn = (...agent: string[]) =>
  world.admin.post('/v1/agent/spawn', { agentId: { agent }, description: 'Work.' })

test('a kill ends the agent and everyone below it, and nobody else', async () => {
  const root = await world.spawn('root')
  const target = await world.spawn(['root', 'target'])
  const below = [
    await world.spawn(['root', 'target', 'one']),
    await world.spawn(['root', 'target', 'one', 'deep']),
    await world.spawn(['root', 'target', 'two']),
  ]
  const others = [await world.spawn(['root', 'target2']), await world.spawn('target')]
  expect(await world.admin.post('/v1/agent/kill', { agentId: target })).toMatchObject({
    status: 200,
    text: '{}',
  })
  for (const agentId of [target, ...below]) {
    const status = await world.status(agentId)
    expect(status).toMatchObject({ phase: 'PHASE_CANCELED', followUps: [], run: { endReason: 'killed' } })
    expect(status.endTime).not.toBe('')
  }
  for (const agentId of [root, ...others]) expect(await world.phase(agentId)).toBe('PHASE_PENDING')
})

test('a kill works on a pending, a running and a resting agent alike', async () => {
  const agents = [
    () => world.spawn('pending'),
    async () => (await world.running('running')).agentId,
    () => world.resting('resting'),
  ]
  for (const make of agents) {
    const agentId = await make()
    await world.kill(agentId)
    expect(await world.phase(agentId)).toBe('PHASE_CANCELED')
    expect(await world.hasRun(agentId)).toBe(false)
  }
})

test('the runner of a killed agent is told to end it, and its report is rejected', async () => {
  const { agentId, run } = await world.running('told')
  await world.kill(agentId)
  expect((await world.beat(run)).body['runs']).toMatchObject([
    { isCurrent: false, commands: [{ type: 'KILL' }] },
  ])
  expect(await world.complete(run, { reason: 'finished', message: 'Too late.' })).toBe(false)
  expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_CANCELED', lastMessage: '' })
})

test('what was queued for a killed agent is dropped, and the timeline says so', async () => {
  const { agentId } = await world.running('dropped')
  await world.queue(agentId, { followUpId: 'one' })
  await world.kill(agentId)
  expect(await world.events(agentId, 'follow-up.dropped')).toMatchObject([{ followUpId: 'one' }])
})

test('nothing can be spawned below an agent that was killed', async () => {
  const parent = await world.spawn('parent')
  await world.spawn(['parent', 'child'])
  await world.kill(parent)
  for (const path of [
    ['parent', 'late'],
    ['parent', 'child', 'late'],
  ]) {
    expect(await spawn(...path)).toMatchObject({ status: 400, reason: 'PARENT_NOT_LIVE', body: { code: 9 } })
  }
})

test('a child that is spawned while its parent is killed never outlives it', async () => {
  const outcomes = new Set<number>()
  for (let round = 0; round < 12; round++) {
    const parent = await world.spawn(`race-${round}`)
    const children = Array.from({ length: 4 }, (_, index) => [`race-${round}`, `child-${index}`])
    const kill = world.kill(parent)
    const answers = await Promise.all(children.map((path) => spawn(...path)))
    await kill
    for (const { status } of answers) outcomes.add(status)
    const born = answers.filter(({ status }) => status === 200).map(({ body }) => body['agentId'] as AgentId)
    for (const child of born) expect(await world.phase(child)).toBe('PHASE_CANCELED')
    const { body } = await world.admin.post('/v1/agents', { parentId: parent })
    expect(body['entries']).toEqual([])
  }
  expect([...outcomes].every((status) => status === 200 || status === 400)).toBe(true)
})

test('a kill of an agent that has ended changes nothing but ends children that outlived it', async () => {
  const { agentId, run } = await world.running('completed')
  const child = await world.spawn(['completed', 'child'])
  await world.complete(run, { reason: 'finished' })
  await world.kill(agentId)
  expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
  expect(await world.phase(child)).toBe('PHASE_CANCELED')
  await world.kill(agentId)
  expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
})

test('a kill of an agent that does not exist is not found', async () => {
  const agentId = { agent: ['nobody'], workspace: 'default' }
  const answer = await world.admin.post('/v1/agent/kill', { agentId })
  expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND', body: { code: 5 } })
})

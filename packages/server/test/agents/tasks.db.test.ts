import type { AgentId, Task } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const STATUSES = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'DELETED'] as const
type Status = (typeof STATUSES)[number]
const nobody = { agent: ['nobody'], workspace: 'default' }

const create = (agentId: object, ...tasks: object[]) =>
  world.admin.post('/v1/agent/tasks/create', { agentId, tasks })
const update = (agentId: object, ...tasks: object[]) =>
  world.admin.post('/v1/agent/tasks/update', { agentId, tasks })
const set = (agentId: object, id: string, status: Status) =>
  update(agentId, { id, status: `TASK_STATUS_${status}` })
async function tasksOf(agentId: AgentId): Promise<Task[]> {
  return must(await world.admin.post('/v1/agent/tasks', { agentId })).body['tasks'] as Task[]
}
const find = async (agentId: AgentId, id: string) => (await tasksOf(agentId)).find((task) => task.id === id)

describe('a task', () => {
  test('is created pending, with every field, and its id minted where none is given', async () => {
    const agentId = await world.spawn('created')
    const { body } = must(
      await create(agentId, { subject: 'One' }, { id: 'two', subject: 'Two', description: 'D' }),
    )
    expect(body['tasks']).toEqual(await tasksOf(agentId))
    const [one, two] = await tasksOf(agentId)
    expect(one?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(two).toEqual({
      id: 'two',
      subject: 'Two',
      description: 'D',
      status: 'TASK_STATUS_PENDING',
      blocks: [],
      blockedBy: [],
      activation: {},
      persona: '',
      dedupKey: '',
      ephemeral: false,
    })
  })

  test('ignores what only the service sets, so that what was read can be sent back', async () => {
    const agentId = await world.spawn('sent-back')
    await create(agentId, { id: 't', subject: 'T', persona: 'p', dedupKey: 'k', ephemeral: true })
    const task = await find(agentId, 't')
    expect(task).toMatchObject({ persona: '', dedupKey: '', ephemeral: false })
    expect((await update(agentId, { ...task, subject: 'New' })).status).toBe(200)
    expect(await find(agentId, 't')).toEqual({ ...task, subject: 'New' })
  })

  test('keeps what an update leaves out', async () => {
    const agentId = await world.spawn('partial')
    await create(agentId, { id: 't', subject: 'T', description: 'D', status: 'TASK_STATUS_IN_PROGRESS' })
    await update(agentId, { id: 't', description: 'E', status: 'TASK_STATUS_UNSPECIFIED' })
    expect(await find(agentId, 't')).toMatchObject({
      subject: 'T',
      description: 'E',
      status: 'TASK_STATUS_IN_PROGRESS',
    })
  })

  test('has an id of its own', async () => {
    const agentId = await world.spawn('unique', { tasks: [{ id: 't', subject: 'T' }] })
    expect(await create(agentId, { id: 't', subject: 'Again' })).toMatchObject({
      status: 400,
      fields: ['tasks[0].id'],
    })
    expect((await create(agentId, { id: 'u', subject: 'U' }, { id: 'u', subject: 'U' })).status).toBe(400)
    expect(await world.queue(agentId, { tasks: [{ id: 't', subject: 'T' }] })).toMatchObject({ status: 400 })
    expect(await tasksOf(agentId)).toHaveLength(1)
  })

  test('that does not exist cannot be updated', async () => {
    const agentId = await world.spawn('missing')
    expect(await update(agentId, { id: 'none' })).toMatchObject({ status: 404, reason: 'TASK_NOT_FOUND' })
  })
})

async function links(agentId: AgentId) {
  const tasks = await tasksOf(agentId)
  return Object.fromEntries(tasks.map(({ id, blocks, blockedBy }) => [id, [blocks, blockedBy]]))
}
const pushed = (...files: string[]) => ({
  events: [{ type: 'run.pushed', repo: 'r', ref: 'refs/heads/x', commit: 'c', files }],
})

/** What each status may become. Staying as it is counts as nothing, but a deleted task is final. */
const ALLOWED: Readonly<Record<Status, readonly Status[]>> = {
  PENDING: ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'DELETED'],
  IN_PROGRESS: ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'DELETED'],
  COMPLETED: ['IN_PROGRESS', 'COMPLETED', 'DELETED'],
  DELETED: [],
}
const PATH_TO: Readonly<Record<Status, readonly Status[]>> = {
  PENDING: [],
  IN_PROGRESS: ['IN_PROGRESS'],
  COMPLETED: ['IN_PROGRESS', 'COMPLETED'],
  DELETED: ['DELETED'],
}

test.each(STATUSES)('a task that is %s goes only where its status may go', async (from) => {
  const agentId = await world.spawn(`from-${from.toLowerCase().replace('_', '-')}`)
  for (const to of STATUSES) {
    const id = `to-${to}`
    await create(agentId, { id, subject: 'T' })
    for (const step of PATH_TO[from]) must(await set(agentId, id, step))
    const answer = await set(agentId, id, to)
    const isAllowed = ALLOWED[from].includes(to)
    expect([to, answer.status, answer.reason]).toEqual(
      isAllowed ? [to, 200, undefined] : [to, 400, 'TASK_TRANSITION_INVALID'],
    )
    expect((await find(agentId, id))?.status).toBe(`TASK_STATUS_${isAllowed ? to : from}`)
  }
})

describe('blockers', () => {
  test('are kept the same from both ends, however they are given', async () => {
    const agentId = await world.spawn('symmetric')
    await create(agentId, { id: 'a', subject: 'A', blocks: ['b'] }, { id: 'b', subject: 'B' })
    await create(agentId, { id: 'c', subject: 'C', blockedBy: ['b'] })
    expect(await links(agentId)).toEqual({ a: [['b'], []], b: [['c'], ['a']], c: [[], ['b']] })
    await update(agentId, { id: 'b', blockedBy: [], blocks: [] })
    expect(await links(agentId)).toEqual({ a: [[], []], b: [[], []], c: [[], []] })
    await update(agentId, { id: 'c', blocks: ['a', 'a'] })
    expect(await links(agentId)).toEqual({ a: [[], ['c']], b: [[], []], c: [['a'], []] })
  })

  test('must exist', async () => {
    const agentId = await world.spawn('unknown-link', { tasks: [{ id: 'a', subject: 'A' }] })
    expect((await create(agentId, { subject: 'X', blocks: ['nope'] })).body['code']).toBe(3)
    expect((await update(agentId, { id: 'a', blockedBy: ['nope'] })).body['code']).toBe(3)
    expect(await tasksOf(agentId)).toHaveLength(1)
  })

  test('cannot go round in a circle, of one task or of many', async () => {
    const agentId = await world.spawn('circle')
    const circle = [
      { id: 'a', subject: 'A', blocks: ['b'] },
      { id: 'b', subject: 'B', blocks: ['c'] },
      { id: 'c', subject: 'C' },
    ]
    await create(agentId, ...circle)
    expect(await update(agentId, { id: 'c', blocks: ['a'] })).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    expect(await update(agentId, { id: 'a', blockedBy: ['c'] })).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    expect(await update(agentId, { id: 'a', blocks: ['a', 'b'] })).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    const self = { id: 'd', subject: 'D', blockedBy: ['d'] }
    expect(await create(agentId, self)).toMatchObject({ status: 400, body: { code: 3 } })
    const spawned = await world.admin.post('/v1/agent/spawn', { description: 'x', tasks: [self] })
    expect(spawned).toMatchObject({ status: 400, body: { code: 3 } })
    expect(await links(agentId)).toEqual({ a: [['b'], []], b: [['c'], ['a']], c: [[], ['b']] })
  })

  test('that are open hold a task back from being begun or completed', async () => {
    const agentId = await world.spawn('held')
    await create(agentId, { id: 'first', subject: 'F' }, { id: 'then', subject: 'T', blockedBy: ['first'] })
    for (const status of ['IN_PROGRESS', 'COMPLETED'] as const) {
      expect(await set(agentId, 'then', status)).toMatchObject({
        status: 400,
        reason: 'TASK_BLOCKED',
        body: { code: 9 },
      })
    }
    await set(agentId, 'first', 'IN_PROGRESS')
    expect((await set(agentId, 'then', 'COMPLETED')).reason).toBe('TASK_BLOCKED')
    await set(agentId, 'first', 'COMPLETED')
    expect((await set(agentId, 'then', 'IN_PROGRESS')).status).toBe(200)
  })

  test('that are deleted hold nothing back', async () => {
    const agentId = await world.spawn('freed')
    await create(agentId, { id: 'first', subject: 'F' }, { id: 'then', subject: 'T', blockedBy: ['first'] })
    await set(agentId, 'first', 'DELETED')
    expect((await set(agentId, 'then', 'COMPLETED')).status).toBe(200)
  })
})

test('a request with several tasks changes all of them or none', async () => {
  const agentId = await world.spawn('atomic', { tasks: [{ id: 'a', subject: 'A' }] })
  const done = { id: 'a', status: 'TASK_STATUS_COMPLETED' }
  expect((await update(agentId, done, { id: 'none' })).status).toBe(404)
  expect((await create(agentId, { id: 'b', subject: 'B' }, { id: 'a', subject: 'A' })).status).toBe(400)
  expect(await tasksOf(agentId)).toMatchObject([{ id: 'a', status: 'TASK_STATUS_PENDING' }])
})

test('tasks need an agent that exists, and to be changed one that has not ended', async () => {
  const list = await world.admin.post('/v1/agent/tasks', { agentId: nobody })
  for (const answer of [list, await create(nobody, { subject: 'X' }), await update(nobody, { id: 'x' })]) {
    expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  }
  const agentId = await world.spawn('ended', { tasks: [{ id: 'a', subject: 'A' }] })
  await world.kill(agentId)
  expect(await tasksOf(agentId)).toHaveLength(1)
  expect(await create(agentId, { subject: 'X' })).toMatchObject({ status: 404, reason: 'AGENT_NOT_RUNNING' })
  expect((await set(agentId, 'a', 'COMPLETED')).reason).toBe('AGENT_NOT_RUNNING')
})

describe('a task with a condition', () => {
  const conditional = {
    id: 'docs',
    subject: 'Docs',
    activation: { filesModified: { pattern: 'docs/**/*.md' } },
  }

  test('does not hold up completion until it is met', async () => {
    const { agentId, run } = await world.running('unmet', { tasks: [conditional] })
    await world.beat(run, pushed('src/a.ts', 'README.md'))
    await world.complete(run, { reason: 'finished' })
    expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
    expect(await tasksOf(agentId)).toMatchObject([{ id: 'docs', status: 'TASK_STATUS_PENDING' }])
  })

  test('counts once a push of the run has met it', async () => {
    const { agentId, run } = await world.running('met', { tasks: [conditional] })
    await world.beat(run, pushed('docs/guide/start.md'))
    await world.beat(run, pushed('docs/other.md'))
    expect(await world.events(agentId, 'task.activated')).toMatchObject([{ taskId: 'docs', runId: '1' }])
    await world.complete(run, { reason: 'finished' })
    const status = await world.status(agentId)
    expect(status.phase).toBe('PHASE_WAITING')
    expect(status.needsInput).toContain('Docs')
  })

  test('is judged by the pushes of the current run alone', async () => {
    const { agentId, run } = await world.running('run-scoped', { tasks: [conditional] })
    await world.beat(run, pushed('docs/a.md'))
    await world.complete(run, { reason: 'rested' })
    await world.queue(agentId)
    await world.complete(await world.take(agentId), { reason: 'finished' })
    expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
  })

  test('without a pattern is met by any file', async () => {
    const any = { id: 'any', subject: 'Any', activation: { filesModified: {} } }
    const { agentId, run } = await world.running('any-file', { tasks: [any] })
    await world.beat(run, pushed('.hidden/x'))
    await world.complete(run, { reason: 'finished' })
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
  })

  test('has one condition at most, of a kind that is known', async () => {
    const activation = { filesModified: {}, moonIsFull: {} }
    const answer = await world.admin.post('/v1/agent/spawn', {
      description: 'x',
      tasks: [{ subject: 'X', activation }],
    })
    expect(answer).toMatchObject({ status: 400, fields: ['tasks[0].activation.moonIsFull'] })
  })
})

test('an ephemeral task is gone when its run has ended', async () => {
  const { agentId, run } = await world.running('ephemeral', { tasks: [{ id: 'stays', subject: 'Stays' }] })
  await world.queue(agentId, { followUpId: 'threads', tasks: [{ id: 'thread', subject: 'Answer' }] })
  // Only the platform makes such tasks, and the part of it that does is yet to come.
  await world.sql(
    `update follow_up set body = jsonb_set(body::jsonb, '{tasks,0,ephemeral}', 'true')::json
     where follow_up_id = 'threads'`,
  )
  await world.complete(run, { reason: 'rested' })
  const second = await world.take(agentId)
  expect(second.tasks.map(({ id }) => id)).toEqual(['stays', 'thread'])
  await world.complete(second, { reason: 'rested' })
  expect((await tasksOf(agentId)).map(({ id }) => id)).toEqual(['stays'])
  expect(await world.events(agentId, 'task.removed')).toMatchObject([{ taskId: 'thread' }])
})

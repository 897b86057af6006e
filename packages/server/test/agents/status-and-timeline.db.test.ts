import type { AgentId, TimelineEvent } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const nobody = { agent: ['nobody'], workspace: 'default' } as AgentId
const usage = { cost: 0.1, inputTokens: '100', cachedInputTokens: '60', outputTokens: '20' }

describe('the status', () => {
  test('of an agent that does not exist is not found', async () => {
    const answer = await world.admin.post('/v1/agent/status', { agentId: nobody })
    expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND', body: { code: 5 } })
  })

  test('needs an agent that is named by workspace and path', async () => {
    const answer = await world.admin.post('/v1/agent/status', { agentId: {} })
    expect(answer).toMatchObject({ status: 400, fields: ['agentId.workspace', 'agentId.agent'] })
    expect((await world.admin.post('/v1/agent/status', {})).fields).toEqual(['agentId'])
  })

  test('is the same for an id with tenant and account and for one without', async () => {
    const agentId = await world.spawn('short')
    const short = await world.status({ workspace: 'default', agent: ['short'] } as AgentId)
    expect(short).toEqual(await world.status(agentId))
  })

  test('adds up what the runs report, exactly', async () => {
    const { agentId, run } = await world.running('metered')
    for (let count = 0; count < 3; count++) await world.beat(run, { usage })
    await world.complete(run, { reason: 'rested', usage })
    expect(await world.status(agentId)).toMatchObject({
      cost: 0.4,
      treeCost: 0.4,
      inputTokens: '400',
      cachedInputTokens: '240',
      outputTokens: '80',
      totalTokens: '480',
    })
  })

  test('counts beyond what a double can hold', async () => {
    const { agentId, run } = await world.running('huge')
    const huge = { ...usage, inputTokens: '9007199254740993', outputTokens: '0' }
    await world.beat(run, { usage: huge })
    expect((await world.status(agentId)).inputTokens).toBe('9007199254740993')
  })

  test.each([
    ['finished', 'PHASE_COMPLETED'],
    ['asked', 'PHASE_WAITING'],
    ['rested', 'PHASE_WAITING'],
    ['interrupted', 'PHASE_WAITING'],
    ['killed', 'PHASE_WAITING'],
    ['limit', 'PHASE_WAITING'],
    ['failed', 'PHASE_FAILED'],
  ] as const)('correctly reports a run that ended as %s, and is %s', async (reason, phase) => {
    const { agentId, run } = await world.running(`end-${reason}`)
    expect(await world.status(agentId)).toMatchObject({ run: { state: 'RUN_STATE_RUNNING', endTime: '' } })
    await world.complete(run, { reason, message: 'Last words.', output: '{"a":1}' })
    const status = await world.status(agentId)
    expect(status).toMatchObject({
      phase,
      lastMessage: 'Last words.',
      output: '{"a":1}',
      run: { runId: '1', state: 'RUN_STATE_ENDED', endReason: reason, attempt: 1 },
    })
    expect(status.run.startTime <= status.run.endTime).toBe(true)
    expect(status.endTime === '').toBe(phase === 'PHASE_WAITING')
  })

  test('says what the agent asks, until it is answered', async () => {
    const { agentId, run } = await world.running('asking')
    await world.complete(run, { reason: 'asked', needsInput: 'Which branch?' })
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_WAITING', needsInput: 'Which branch?' })
    await world.queue(agentId, { description: 'main' })
    expect((await world.status(agentId)).needsInput).toBe('')
  })

  test('says what went wrong with an agent that failed', async () => {
    const { agentId, run } = await world.running('failing')
    const error = { code: 'refused', message: 'The backend said no.', isRetryable: false }
    await world.complete(run, { reason: 'failed', error })
    expect((await world.status(agentId)).error).toEqual({ code: 'refused', message: 'The backend said no.' })
  })
})

describe('an agent that is to complete by itself', () => {
  test('completes when its turn ends with nothing open or queued', async () => {
    const { agentId, run } = await world.running('auto', { autoComplete: true })
    await world.complete(run, { reason: 'rested' })
    expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
  })

  test('waits while a task is open, and says which', async () => {
    const tasks = [{ id: 'open', subject: 'Write the docs' }]
    const { agentId, run } = await world.running('auto-open', { autoComplete: true, tasks })
    await world.complete(run, { reason: 'rested' })
    const status = await world.status(agentId)
    expect(status.phase).toBe('PHASE_WAITING')
    expect(status.needsInput).toContain('Write the docs')
  })

  test('continues while messages are queued, and waits when it asks or is stopped', async () => {
    const { agentId, run } = await world.running('auto-queued', { autoComplete: true })
    await world.queue(agentId)
    await world.complete(run, { reason: 'rested' })
    expect(await world.phase(agentId)).toBe('PHASE_PENDING')
    await world.complete(await world.take(agentId), { reason: 'asked', needsInput: 'Well?' })
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
    await world.queue(agentId)
    const next = await world.take(agentId)
    await world.stop(agentId, next.runId)
    await world.complete(next, { reason: 'interrupted' })
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
  })
})

describe('the timeline', () => {
  test('numbers everything that happens from 1 without a gap', async () => {
    const { agentId, run } = await world.running('told', { tasks: [{ id: 't', subject: 'T' }] })
    await world.beat(run, { events: [{ type: 'run.progressed', message: 'Looking.' }], usage })
    await world.queue(agentId, { reasoningEffort: 'low' })
    await world.stop(agentId, '1')
    await world.complete(run, { reason: 'interrupted' })
    await world.take(agentId)
    await world.kill(agentId)
    const events = await world.timeline(agentId)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => `${index + 1}`))
    expect(new Set(events.map(({ agentId: id }) => JSON.stringify(id)))).toEqual(
      new Set([JSON.stringify(agentId)]),
    )
    expect(events.map(({ actor }) => actor)).toContain('ada')
    expect(events.filter(({ type }) => type === 'run.started')).toMatchObject([{ actor: 'runner' }, {}])
  })

  test('shows what a run reported as it was reported', async () => {
    const { agentId, run } = await world.running('reporting')
    const events = [
      { type: 'run.progressed', message: 'Looking.' },
      { type: 'run.message', text: 'Found it.' },
      { type: 'run.tool-started', callId: '1', tool: 'bash', input: 'ls' },
      { type: 'run.tool-called', callId: '1', tool: 'bash', input: 'ls', output: 'a\nb', failed: false },
      { type: 'run.tool-called', callId: '2', tool: 'bash', input: 'cd x', output: 'No x.', failed: true },
      { type: 'run.pushed', repo: 'r', ref: 'refs/heads/x', commit: 'c0ffee', files: ['a.ts'] },
    ]
    await world.beat(run, { events })
    const told = (await world.timeline(agentId)).slice(-events.length)
    expect(told).toMatchObject(events.map((event) => ({ ...event, runId: '1' })))
    expect((await world.status(agentId)).lastMessage).toBe('Found it.')
  })

  test('is read in pages from any place on', async () => {
    const { agentId, run } = await world.running('paged')
    const events = Array.from({ length: 20 }, (_, index) => ({ type: 'run.progressed', message: `${index}` }))
    await world.beat(run, { events })
    const all = await world.timeline(agentId)
    const read: TimelineEvent[] = []
    for (;;) {
      const afterSequence = read.at(-1)?.sequence ?? '0'
      const body = { agentId, afterSequence, pageSize: 7 }
      const page = must(await world.admin.post('/v1/agent/timeline', body)).body
      const part = page['events'] as TimelineEvent[]
      expect(part.length).toBeLessThanOrEqual(7)
      expect(page['lastSequence']).toBe(`${all.length}`)
      if (part.length === 0) break
      read.push(...part)
    }
    expect(read).toEqual(all)
  })

  test('takes a sequence number as a bare integer and refuses a negative one', async () => {
    const agentId = await world.spawn('numbers')
    const { body } = must(await world.admin.post('/v1/agent/timeline', { agentId, afterSequence: 2 }))
    expect((body['events'] as TimelineEvent[])[0]?.sequence).toBe('3')
    const negative = await world.admin.post('/v1/agent/timeline', { agentId, afterSequence: '-1' })
    expect(negative.fields).toEqual(['afterSequence'])
  })

  test('of an agent that does not exist is not found', async () => {
    const answer = await world.admin.post('/v1/agent/timeline', { agentId: nobody })
    expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })
})

import type { AgentId } from '@skein/contract'
import { TestClock, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

const DAY_MS = 24 * 3_600_000
const clock = new TestClock(Date.now())
let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start({ clock })
})

afterAll(() => world.close())

const ahead = (ms: number) => new Date(clock.now() + ms).toISOString()
const defer = (agentId: AgentId, ms: number, fields: object = {}) =>
  world.queue(agentId, { deliverAt: ahead(ms), ...fields })
const statesOf = async (agentId: AgentId) =>
  (await world.status(agentId)).followUps.map(({ followUpId, state }) => [followUpId, state])

describe('the time of a deferred message', () => {
  test('must be in the future: now is refused, a millisecond later is not', async () => {
    const agentId = await world.resting('future')
    for (const ms of [0, -1, -DAY_MS]) {
      expect(await defer(agentId, ms)).toMatchObject({
        status: 400,
        body: { code: 3 },
        fields: ['deliverAt'],
      })
    }
    expect((await defer(agentId, 1)).status).toBe(200)
  })

  test('is at most 30 days ahead: exactly that is allowed, a millisecond more is not', async () => {
    const agentId = await world.resting('horizon')
    expect((await defer(agentId, 30 * DAY_MS)).status).toBe(200)
    const answer = await defer(agentId, 30 * DAY_MS + 1)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 }, fields: ['deliverAt'] })
  })

  test('may be given with any offset and must be a timestamp', async () => {
    const agentId = await world.resting('offset')
    const local = new Date(clock.now() + 2 * 3_600_000 + 60_000).toISOString().replace('Z', '+02:00')
    expect((await world.queue(agentId, { deliverAt: local, followUpId: 'local' })).status).toBe(200)
    expect((await world.status(agentId)).followUps).toMatchObject([{ deliverAt: ahead(60_000) }])
    expect((await world.queue(agentId, { deliverAt: 'tomorrow' })).fields).toEqual(['deliverAt'])
  })

  test('cannot be set for a build that lacks deferral', async () => {
    await world.admin.write('pool', 'old', { build: { name: 'v1', features: [] } })
    await world.admin.write('pool', 'new', { build: { name: 'v2', features: ['deferral'] } })
    await world.admin.write('workspace', 'old', { pool: 'old' })
    await world.admin.write('workspace', 'new', { pool: 'new' })
    const old = await world.spawn('old-build', { agentId: { workspace: 'old' } })
    expect(await defer(old, 1000)).toMatchObject({
      status: 400,
      reason: 'BUILD_LACKS_DEFERRAL',
      body: { code: 9 },
    })
    expect((await world.queue(old)).status).toBe(200)
    const fresh = await world.spawn('new-build', { agentId: { workspace: 'new' } })
    expect((await defer(fresh, 1000)).status).toBe(200)
  })
})

describe('a deferred message', () => {
  test('leaves an idle agent alone until its time, then wakes it', async () => {
    const agentId = await world.resting('waking')
    await defer(agentId, 60_000, { followUpId: 'later', description: 'Good morning.' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      followUps: [{ followUpId: 'later', state: 'DEFERRED', deliverAt: ahead(60_000) }],
    })
    clock.advance(59_999)
    await world.sweep()
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
    clock.advance(1)
    await world.sweep()
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_PENDING',
      followUps: [{ followUpId: 'later', state: 'QUEUED' }],
    })
    expect((await world.take(agentId)).messages).toMatchObject([{ description: 'Good morning.' }])
    const told = (await world.timeline(agentId)).filter(({ type }) => type.startsWith('follow-up.'))
    expect(told.map(({ type }) => type).slice(-3)).toEqual([
      'follow-up.deferred',
      'follow-up.due',
      'follow-up.delivered',
    ])
  })

  test('joins the queue of a busy agent behind what is there', async () => {
    const { agentId, run } = await world.running('joining')
    await defer(agentId, 1000, { followUpId: 'later' })
    await world.queue(agentId, { followUpId: 'first' })
    clock.advance(1000)
    await world.sweep()
    await world.queue(agentId, { followUpId: 'last' })
    await world.complete(run, { reason: 'rested' })
    const { messages } = await world.take(agentId)
    expect(messages.map(({ followUpId }) => followUpId)).toEqual(['first', 'later', 'last'])
  })

  test('is one of several that may wait, and they come in the order of their times', async () => {
    const agentId = await world.resting('several')
    const order = [7, 3, 9, 1, 5, 8, 2, 6, 4]
    for (const second of order) await defer(agentId, second * 1000, { followUpId: `s${second}` })
    expect(await statesOf(agentId)).toHaveLength(9)
    clock.advance(10_000)
    await world.sweep()
    const { messages } = await world.take(agentId)
    expect(messages.map(({ followUpId }) => followUpId)).toEqual(
      order.toSorted((left, right) => left - right).map((second) => `s${second}`),
    )
  })

  test('with an override starts a run of its own when its time comes', async () => {
    const agentId = await world.resting('overriding')
    await defer(agentId, 1000, { reasoningEffort: 'max', followUpId: 'later' })
    await world.queue(agentId, { followUpId: 'now' })
    const run = await world.take(agentId)
    clock.advance(1000)
    await world.sweep()
    await world.complete(run, { reason: 'rested' })
    expect(await world.take(agentId)).toMatchObject({
      reasoningEffort: 'max',
      messages: [{ followUpId: 'later' }],
    })
  })

  test('is delivered once, however many sweeps find it due', async () => {
    const agentId = await world.resting('once')
    await defer(agentId, 1000, { followUpId: 'later' })
    clock.advance(1000)
    await Promise.all([world.sweep(), world.sweep(), world.sweep()])
    await world.sweep()
    expect(await world.events(agentId, 'follow-up.due')).toHaveLength(1)
    expect((await world.take(agentId)).messages).toHaveLength(1)
  })

  test('is dropped when its agent is killed, the timeline says so, and a new incarnation does not get it', async () => {
    const agentId = await world.resting('ended')
    await defer(agentId, 1000, { followUpId: 'later' })
    await world.kill(agentId)
    expect(await world.events(agentId, 'follow-up.dropped')).toMatchObject([{ followUpId: 'later' }])
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_CANCELED', followUps: [] })
    await world.spawn('ended')
    clock.advance(1000)
    await world.sweep()
    expect((await world.status(agentId)).followUps).toMatchObject([{ description: 'Work.' }])
  })

  test('keeps a resting agent from nothing: it completes and waits as if there were none', async () => {
    const { agentId, run } = await world.running('completing')
    await defer(agentId, 1000)
    await world.complete(run, { reason: 'finished' })
    expect(await world.phase(agentId)).toBe('PHASE_COMPLETED')
  })
})

test.each([
  ['ahead of', 3_000],
  ['behind', -3_000],
])('a server whose clock is %s the database’s delivers runs and messages on time', async (_word, skewMs) => {
  const skewed = await AgentWorld.start({ clock: { now: () => Date.now() + skewMs }, sweeps: true })
  try {
    const agentId = await skewed.spawn('skewed')
    const [run] = await skewed.poll()
    expect(run).toMatchObject({ runId: '1' })
    if (run) await skewed.complete(run, { reason: 'rested' })
    await skewed.queue(agentId, { deliverAt: new Date(Date.now() + skewMs + 1_200).toISOString() })
    await waitFor(async () => (await skewed.poll()).length === 1, { what: 'the message', timeoutMs: 3_500 })
  } finally {
    await skewed.close()
  }
})

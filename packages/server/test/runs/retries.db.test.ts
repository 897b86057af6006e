import type { Assignment } from '@skein/contract'
import { ScriptedRunner, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, runnerKey } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const retryable = {
  reason: 'failed',
  error: { code: 'overloaded', message: 'Later.', isRetryable: true },
} as const

/** Seconds until the agent's run may be claimed. */
async function backOffOf({ lease }: Assignment): Promise<number> {
  const text =
    'select extract(epoch from available_at - now())::float as seconds from run where agent_id = $1'
  const [row] = await world.sql(text, [lease.split('.')[1]])
  return Number(row?.['seconds'])
}

describe('a run that fails but may be retried', () => {
  test('is tried three times with a growing back-off, then the agent fails and its children die', async () => {
    const { agentId, run } = await world.running('thrice')
    const child = await world.spawn(['thrice', 'child'])
    await world.queue(agentId, { followUpId: 'waiting' })
    expect(await world.complete(run, retryable)).toBe(true)
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_PENDING',
      runCount: '1',
      run: { state: 'RUN_STATE_QUEUED', attempt: 2 },
    })
    expect(await backOffOf(run)).toBeCloseTo(1, 0)
    expect(await world.hasRun(agentId)).toBe(false)
    await world.skipBackOff()
    const second = await world.take(agentId)
    expect(second).toMatchObject({ runId: '1', attempt: 2, messages: run.messages })
    await world.complete(second, retryable)
    expect(await backOffOf(run)).toBeGreaterThan(3)
    await world.skipBackOff()
    const third = await world.take(agentId)
    expect(third.attempt).toBe(3)
    await world.complete(third, retryable)
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_FAILED',
      run: { endReason: 'failed', attempt: 3 },
      error: { code: 'overloaded', message: 'Later.' },
      followUps: [],
    })
    expect(await world.phase(child)).toBe('PHASE_CANCELED')
    expect(await world.events(agentId, 'follow-up.dropped')).toMatchObject([{ followUpId: 'waiting' }])
    const failures = await world.events(agentId, 'run.attempt-failed')
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  test('waits as long as its runner says', async () => {
    const { run } = await world.running('patient')
    await world.complete(run, { ...retryable, retryAfterMs: 3_600_000 })
    expect(await backOffOf(run)).toBeGreaterThan(3_500)
  })

  test('goes idle when a later attempt succeeds', async () => {
    const { agentId, run } = await world.running('recovering')
    await world.complete(run, retryable)
    await world.skipBackOff()
    await world.complete(await world.take(agentId), { reason: 'rested' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      error: { code: '', message: '' },
    })
  })

  test('leaves messages that arrive in the meantime to the next run', async () => {
    const { agentId, run } = await world.running('meanwhile')
    await world.complete(run, retryable)
    await world.queue(agentId, { followUpId: 'meanwhile' })
    await world.skipBackOff()
    const second = await world.take(agentId)
    expect(second.messages).toEqual(run.messages)
    await world.complete(second, { reason: 'rested' })
    expect(await world.take(agentId)).toMatchObject({ runId: '2', messages: [{ followUpId: 'meanwhile' }] })
  })
})

test('a run that fails permanently is not retried', async () => {
  const { agentId, run } = await world.running('refused')
  const child = await world.spawn(['refused', 'child'])
  await world.complete(run, { ...retryable, error: { ...retryable.error, isRetryable: false } })
  expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_FAILED', run: { attempt: 1 } })
  expect(await world.phase(child)).toBe('PHASE_CANCELED')
  const { code, message } = retryable.error
  expect(await world.events(agentId, 'run.ended')).toMatchObject([
    { reason: 'failed', error: { code, message } },
  ])
})

test('a run that ends well has no error', async () => {
  const agentId = await world.resting('well')
  expect(await world.events(agentId, 'run.ended')).toMatchObject([{ error: { code: '', message: '' } }])
})

describe('a run whose runner falls silent', () => {
  test('is retried elsewhere, and the late report of the first attempt is rejected', async () => {
    const elsewhere = world.tenant.client(await runnerKey(world.tenant, 'elsewhere'))
    const { agentId, run } = await world.running('silent')
    await world.expireLease(run)
    await world.sweep()
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_PENDING', run: { attempt: 2 } })
    expect(await world.complete(run, { reason: 'finished', message: 'Too late.' })).toBe(false)
    await world.skipBackOff()
    const [second] = await world.poll(10, elsewhere)
    expect(second).toMatchObject({ runId: '1', attempt: 2, messages: run.messages })
    const late = { events: [{ type: 'run.message', text: 'Too late.' }] }
    expect((await world.beat(run, late)).body['runs']).toMatchObject([{ isCurrent: false }])
    expect(await world.complete(run, { reason: 'finished', message: 'Too late.' })).toBe(false)
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_RUNNING', lastMessage: '' })
    expect(await world.complete(second as Assignment, { reason: 'rested' }, elsewhere)).toBe(true)
    const types = (await world.timeline(agentId)).map(({ type }) => type)
    expect(types.filter((type) => type === 'run.attempt-lost')).toHaveLength(1)
    expect(types.filter((type) => type === 'run.ended')).toHaveLength(1)
  })

  test('three times fails permanently, and says so', async () => {
    const { agentId, run } = await world.running('lost')
    const child = await world.spawn(['lost', 'child'])
    await world.expireLease(run)
    for (let attempt = 2; attempt <= 3; attempt++) {
      await world.sweep()
      await world.skipBackOff()
      const next = await world.take(agentId)
      expect(next.attempt).toBe(attempt)
      await world.expireLease(next)
    }
    await world.sweep()
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_FAILED',
      run: { endReason: 'lost' },
      error: { code: 'lost' },
    })
    expect(await world.phase(child)).toBe('PHASE_CANCELED')
  })

  test('is not lost while heartbeats arrive, nor expired by a sweep', async () => {
    const { agentId, run } = await world.running('beating')
    await world.expireLease(run)
    await world.beat(run)
    await world.sweep()
    expect(await world.phase(agentId)).toBe('PHASE_RUNNING')
    expect(await world.complete(run, { reason: 'rested' })).toBe(true)
  })

  test('between its claim and its start simply goes back into the queue', async () => {
    const agentId = await world.spawn('half-claimed')
    await world.sql(
      `with taken as (update run set is_leased = true where agent_key like '%/half-claimed' returning *)
       insert into lease select agent_id, tenant_id, run_id, attempt, 'nobody', now() - interval '1 second' from taken`,
    )
    expect(await world.hasRun(agentId)).toBe(false)
    await world.sweep()
    expect(await world.take(agentId)).toMatchObject({ runId: '1', attempt: 1 })
    expect(await world.events(agentId, 'run.attempt-lost')).toEqual([])
  })
})

test('a runner that dies is replaced by another over the real protocol, and the run is finished', async () => {
  const swift = await AgentWorld.start({ sweeps: true, settings: { SKEIN_LEASE_MS: '1000' } })
  const { baseUrl } = await LiveClient.of(swift.server, swift.admin.key)
  const apiKey = String(swift.runner.key)
  const dying = new ScriptedRunner({ baseUrl, apiKey, defaultScript: [{ do: 'crash' }] }).start()
  try {
    const agentId = await swift.spawn('survivor')
    await waitFor(() => dying.activeRuns === 1, { what: 'the first runner' })
    await dying.stop()
    const healthy = new ScriptedRunner({
      baseUrl,
      apiKey: await runnerKey(swift.tenant, 'healthy'),
      pollMs: 200,
      defaultScript: [{ do: 'say', text: 'Back.' }, { do: 'finish' }],
    }).start()
    const { body } = await swift.admin.post('/v1/agent/wait', { agentId })
    expect(body).toMatchObject({ reason: 'WAIT_REASON_COMPLETED', status: { run: { attempt: 2 } } })
    await healthy.stop()
  } finally {
    await swift.close()
  }
})

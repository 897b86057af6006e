import type { AgentId, Assignment } from '@skein/contract'
import type { TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

/** Another span of another trace for each number. */
function span(number: number): string {
  return `00-${number.toString(16).padStart(32, 'a')}-${number.toString(16).padStart(16, 'b')}-01`
}

async function spawn(agent: readonly string[], traceparent: string, by = world.admin): Promise<AgentId> {
  const body = { agentId: { agent }, description: 'Work.' }
  const answer = await by.post('/v1/agent/spawn', body, { headers: { traceparent } })
  return must(answer).body['agentId'] as AgentId
}

async function send(agentId: AgentId, traceparent: string, by: TestClient = world.admin): Promise<void> {
  const body = { agentId, description: 'More.' }
  must(await by.post('/v1/agent/queue', body, { headers: { traceparent } }))
}

async function running(name: string, traceparent: string): Promise<{ agentId: AgentId; run: Assignment }> {
  const agentId = await spawn([name], traceparent)
  return { agentId, run: await world.take(agentId) }
}

describe('a run', () => {
  test('gets the span of the command that queued it, also from a server that does not trace', async () => {
    const { agentId, run } = await running('spawned', span(1))
    expect(run).toMatchObject({ traceparent: span(1), traceLinks: [] })
    await world.complete(run, { reason: 'rested' })
    await send(agentId, span(2))
    expect(await world.take(agentId)).toMatchObject({ runId: '2', traceparent: span(2), traceLinks: [] })
  })

  test('keeps it when an attempt fails or is lost, for the next attempt', async () => {
    const { agentId, run } = await running('retried', span(1))
    const error = { code: 'overloaded', message: 'Later.', isRetryable: true }
    await world.complete(run, { reason: 'failed', error })
    await world.skipBackOff()
    const second = await world.take(agentId)
    expect(second).toMatchObject({ attempt: 2, traceparent: span(1), traceLinks: [] })
    await world.expireLease(second)
    await world.sweep()
    await world.skipBackOff()
    expect(await world.take(agentId)).toMatchObject({ attempt: 3, traceparent: span(1) })
  })

  test('that takes messages sent during another run links to the commands that sent them', async () => {
    const { agentId, run } = await running('followed', span(1))
    await send(agentId, span(2))
    await send(agentId, span(3))
    await world.complete(run, { reason: 'rested' })
    const next = await world.take(agentId)
    // Nobody traces here, so the run has no span of its own to begin with; but it is not part of these traces.
    expect(next.traceparent).toBe('')
    expect(next.traceLinks.toSorted()).toEqual([span(2), span(3)])
  })

  test('of a child is not part of its parent’s trace, but links to the command that spawned it', async () => {
    const { run } = await running('parent', span(1))
    const child = await spawn(['parent', 'child'], span(2), world.tenant.client(run.runKey))
    expect(await world.take(child)).toMatchObject({ traceparent: '', traceLinks: [span(2)] })
  })

  test('links to at most 100 messages', async () => {
    const { agentId, run } = await running('flooded', span(1))
    for (let number = 0; number < 120; number += 1) await send(agentId, span(1000 + number))
    await world.complete(run, { reason: 'rested' })
    const next = await world.take(agentId)
    expect(next.messages).toHaveLength(120)
    expect(next.traceLinks).toHaveLength(100)
  })
})

describe('a traceparent', () => {
  test.each([
    ['nothing', ''],
    ['another form', 'trace me'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`],
    ['a span of zeros', `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['capital letters', span(1).toUpperCase()],
    ['more than 55 characters', `${span(1)}-${'x'.repeat(4000)}`],
    ['two headers in one', `${span(1)}, ${span(2)}`],
    ['SQL', `00-${'a'.repeat(32)}-'; drop table run; --01`],
  ])('that is %s is ignored', async (name, traceparent) => {
    const agentId = await spawn([`odd-${name.replaceAll(/[^a-z]/gi, '-').toLowerCase()}`], traceparent)
    const run = await world.take(agentId)
    expect(run).toMatchObject({ traceparent: '', traceLinks: [] })
    const stored = `select traceparent from run where agent_id = $1
      union all select traceparent from follow_up where agent_id = $1`
    expect(await world.sql(stored, [run.lease.split('.')[1]])).toEqual([
      { traceparent: null },
      { traceparent: null },
    ])
  })

  test('used by two tenants stays an id: neither sees anything of the other', async () => {
    const other = await AgentWorld.in(world.server, await world.server.createTenant())
    const { agentId, run } = await running('shared', span(7))
    const foreign = await spawn(['shared'], span(7), other.admin)
    const foreignRun = await other.take(foreign)
    expect(foreignRun).toMatchObject({ traceparent: span(7), traceLinks: [] })
    expect(foreignRun.agentId.tenant).toEqual(other.tenant.tenant)
    await send(foreign, span(8), other.admin)
    await world.complete(run, { reason: 'rested' })
    expect((await world.status(agentId)).runCount).toBe('1')
    const count = await world.sql(
      'select count(*)::int as amount from follow_up where tenant_id = $1 and traceparent = $2',
      [world.tenant.id, span(8)],
    )
    expect(count).toEqual([{ amount: 0 }])
  })
})

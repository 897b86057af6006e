import { BudgetKeeper } from '@skein/engine'
import { TestClock } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must, type StartedRun } from '../agents/agent-world.ts'

const NOVEMBER = Date.UTC(2026, 10, 18, 12)
const DECEMBER = Date.UTC(2026, 11, 1, 0, 0, 1)

const clock = new TestClock(NOVEMBER)
let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start({ clock })
})

afterAll(() => world.close())

beforeEach(async () => {
  clock.set(NOVEMBER)
  world = await AgentWorld.in(world.server, await world.server.createTenant())
})

const look = () => new BudgetKeeper(world.server.engine, (error) => expect.fail(String(error))).look()
const write = async (document: object, name = 'all') =>
  must(await world.admin.write('budget', name, document))
const usage = (cost: number, model?: string) => ({
  usage: {
    cost,
    inputTokens: '10',
    cachedInputTokens: '0',
    outputTokens: '1',
    ...(model !== undefined && { model }),
  },
})

/** Asks for a call, as a runner does. */
async function ask({ run }: StartedRun, estimate: number | undefined, report: object = {}) {
  const answer = must(
    await world.beat(run, { wantsBudget: true, ...(estimate !== undefined && { estimate }), ...report }),
  )
  const [beat] = answer.body['runs'] as { budget: { refusal?: string; isCapped: boolean; spent: number } }[]
  if (!beat) throw new Error('No answer')
  return beat.budget
}

const isRefused = async (started: StartedRun, estimate: number) =>
  (await ask(started, estimate)).refusal !== undefined

async function counters(budget = 'all') {
  const [row] = await world.sql(
    `select coalesce(sum(spent_micros), 0)::float8 / 1e6 as spent, coalesce(sum(reserved_micros), 0)::float8 / 1e6 as reserved
     from budget_spend where tenant_id = $1 and budget = $2`,
    [world.tenant.id, budget],
  )
  return row
}

describe('a hard budget', () => {
  test('refuses the call that does not fit, and says what to do', async () => {
    await write({ amount: 1 })
    const agent = await world.running('one')
    expect((await ask(agent, 0.4)).refusal).toBeUndefined()
    expect((await ask(agent, 0.4, usage(0.7))).refusal).toBe(
      'The budget all is used up for this month. The agent continues by itself when an admin raises it ' +
        '(skein edit budget all), or at 2026-12-01T00:00:00.000Z, with the next month.',
    )
    expect((await ask(agent, 0.2)).refusal).toBeUndefined()
    expect(await counters()).toEqual({ spent: 0.7, reserved: 0.2 })
  })

  test('lets 50 agents at once make no more calls than fit', async () => {
    await write({ amount: 10 })
    const agents = await Promise.all(Array.from({ length: 50 }, (_, index) => world.running(`many-${index}`)))
    const began = performance.now()
    const refused = await Promise.all(agents.map((agent) => isRefused(agent, 1)))
    console.log(`50 reservations at once took ${Math.round(performance.now() - began)} ms`)
    // A call that would take exactly what is left is refused, as with the budget of a tree.
    expect(refused.filter((isOut) => !isOut)).toHaveLength(9)
    expect(await counters()).toEqual({ spent: 0, reserved: 9 })
  }, 60_000)

  test('counts a call once: asked again, reported twice, or never settled', async () => {
    await write({ amount: 100 })
    const agent = await world.running('one')
    await ask(agent, 3)
    await ask(agent, 3)
    expect(await counters()).toEqual({ spent: 0, reserved: 3 })
    const report = { reportId: 'r-1', ...usage(5) }
    await world.beat(agent.run, report)
    await world.beat(agent.run, report)
    expect(await counters()).toEqual({ spent: 5, reserved: 0 })
    await ask(agent, 7)
    await world.sql(`update budget_reservation set expires_at = now() where tenant_id = $1`, [
      world.tenant.id,
    ])
    await look()
    expect(await counters()).toEqual({ spent: 5, reserved: 0 })
    // Late, but not lost, and the reservation that has expired is not given back twice.
    await world.beat(agent.run, usage(2))
    expect(await counters()).toEqual({ spent: 7, reserved: 0 })
  })

  test('gets back what a run reserved that is lost, paused, killed or over', async () => {
    await write({ amount: 100 })
    const lost = await world.running('lost')
    await ask(lost, 1)
    await world.expireLease(lost.run)
    await world.sql(`update service_contact set seen_at = now() - interval '1 hour'`)
    await world.sweep()
    const paused = await world.running('paused')
    await ask(paused, 1)
    await world.complete(paused.run, { reason: 'paused', retryAfterMs: 0 })
    const ended = await world.running('ended')
    await ask(ended, 1)
    await world.complete(ended.run, { reason: 'rested', ...usage(0.5) })
    const killed = await world.running('killed')
    await ask(killed, 1)
    await world.kill(killed.agentId)
    expect(await counters()).toEqual({ spent: 0.5, reserved: 0 })
  })

  test('wakes who waits for it: when it is raised, when the next month begins, or when it is gone', async () => {
    await write({ amount: 1 })
    const hold = async (name: string) => {
      const held = await world.running(name)
      expect(await isRefused(held, 2)).toBe(true)
      await look()
      await world.complete(held.run, { reason: 'limit', limit: 'monthly-budget', needsInput: 'No money.' })
      await look()
      expect(await world.status(held.agentId)).toMatchObject({
        phase: 'PHASE_WAITING',
        needsInput: 'No money.',
      })
      return held.agentId
    }
    const raised = await hold('raised')
    await write({ amount: 5 })
    await look()
    expect((await world.take(raised)).messages[0]?.description).toBe(
      'The monthly budget has room again. Continue where you left off.',
    )
    await write({ amount: 1 })
    const spent = await world.running('spent')
    await world.beat(spent.run, usage(3))
    await write({ amount: 3 })
    const waiting = await hold('waiting')
    clock.set(DECEMBER)
    await look()
    await world.take(waiting)
    await write({ amount: 1 })
    const freed = await hold('freed')
    must(await world.admin.delete('/v1/catalog/budget/all'))
    await look()
    await world.take(freed)
    expect(await world.sql('select * from budget_hold where tenant_id = $1', [world.tenant.id])).toEqual([])
  })

  test('wakes who waits for it, also if others wait for other budgets', async () => {
    const names = ['red', 'green', 'blue']
    for (const name of names) await write({ amount: 1, label: `color=${name}` }, name)
    const held: StartedRun['agentId'][] = []
    for (const name of names) {
      const agent = await world.running(name, { labels: { color: name } })
      expect(await isRefused(agent, 2)).toBe(true)
      await world.complete(agent.run, { reason: 'limit', limit: 'monthly-budget', needsInput: 'No money.' })
      held.push(agent.agentId)
    }
    for (const name of ['red', 'blue']) await write({ amount: 5, label: `color=${name}` }, name)
    await look()
    const phases = await Promise.all(held.map((agentId) => world.phase(agentId)))
    expect(phases).toEqual(['PHASE_PENDING', 'PHASE_WAITING', 'PHASE_PENDING'])
  })

  test('does not wake an agent that was killed, or that somebody else has woken', async () => {
    await write({ amount: 1 })
    const killed = await world.running('killed')
    const woken = await world.running('woken')
    for (const { run } of [killed, woken]) {
      await world.beat(run, { wantsBudget: true, estimate: 2 })
      await world.complete(run, { reason: 'limit', limit: 'monthly-budget', needsInput: 'No money.' })
    }
    await world.kill(killed.agentId)
    must(await world.queue(woken.agentId))
    await write({ amount: 100 })
    await look()
    expect(await world.phase(killed.agentId)).toBe('PHASE_CANCELED')
    expect(await world.events(woken.agentId, 'run.queued')).toHaveLength(2)
    expect(await world.sql('select * from budget_hold where tenant_id = $1', [world.tenant.id])).toEqual([])
  })

  test('refuses calls without a price, and runners that do not estimate', async () => {
    await write({ amount: 1 })
    const agent = await world.running('one')
    await world.beat(agent.run, usage(0.5))
    expect(await ask(agent, undefined)).toMatchObject({ isCapped: true, maxCost: 1, spent: 0.5 })
    await world.beat(agent.run, usage(0.5))
    const budget = await ask(agent, undefined)
    expect(budget).toMatchObject({ isCapped: true, spent: 1 })
    expect(budget.refusal).toContain('used up')
  })
})

describe('a budget counts', () => {
  test('only what it is for', async () => {
    must(await world.admin.write('team', 'payments', {}))
    must(await world.admin.write('workspace', 'shop', { team: 'payments' }))
    must(await world.admin.write('workspace', 'free', {}))
    await write({ amount: 1, team: 'payments' }, 'team')
    await write({ amount: 1, label: 'env=prod' }, 'label')
    await write({ amount: 1, account: 'nobody' }, 'other')
    const plain = await world.running('plain', { agentId: { workspace: 'free' } })
    const team = await world.running('team', { agentId: { workspace: 'shop' } })
    const label = await world.running('label', { agentId: { workspace: 'free' }, labels: { env: 'prod' } })
    for (const started of [plain, team, label]) await world.beat(started.run, usage(2))
    expect(await counters('team')).toEqual({ spent: 2, reserved: 0 })
    expect(await counters('label')).toEqual({ spent: 2, reserved: 0 })
    expect(await counters('other')).toEqual({ spent: 0, reserved: 0 })
    expect(await isRefused(plain, 1)).toBe(false)
    expect(await isRefused(team, 1)).toBe(true)
    expect(await isRefused(label, 1)).toBe(true)
  })

  test('what children of a labelled agent spend, who have no labels of their own', async () => {
    await write({ amount: 1, label: 'env=prod' }, 'label')
    await world.running('parent', { labels: { env: 'prod' } })
    const child = await world.running(['parent', 'child'])
    await world.beat(child.run, usage(2))
    expect(await counters('label')).toEqual({ spent: 2, reserved: 0 })
    expect(await isRefused(child, 1)).toBe(true)
    await look()
    expect(await world.sql('select * from budget_hold where tenant_id = $1', [world.tenant.id])).toHaveLength(
      1,
    )
    await write({ amount: 10, label: 'env=prod' }, 'label')
    expect(await isRefused(child, 1)).toBe(false)
    expect(await world.sql('select * from budget_hold where tenant_id = $1', [world.tenant.id])).toEqual([])
  })

  test('what was spent in the month before it was written', async () => {
    const agent = await world.running('early', { labels: { env: 'prod' } })
    await world.beat(agent.run, usage(2))
    for (const [name, scope] of Object.entries({
      all: {},
      label: { label: 'env=prod' },
      not: { label: 'a=b' },
    }))
      await write({ amount: 3, ...scope }, name)
    expect(await counters('all')).toEqual({ spent: 2, reserved: 0 })
    expect(await counters('label')).toEqual({ spent: 2, reserved: 0 })
    expect(await counters('not')).toEqual({ spent: 0, reserved: 0 })
    await write({ amount: 3, label: 'a=b' }, 'label')
    expect(await counters('label')).toEqual({ spent: 0, reserved: 0 })
    // Another amount is no reason to count again.
    await world.beat(agent.run, usage(1))
    await write({ amount: 30 })
    expect(await counters('all')).toEqual({ spent: 3, reserved: 0 })
  })

  test('from zero in each calendar month of its time zone', async () => {
    await write({ amount: 1, timeZone: 'Europe/Berlin' })
    const agent = await world.running('one')
    await world.beat(agent.run, usage(2))
    clock.set(Date.UTC(2026, 10, 30, 22, 59, 59))
    expect(await isRefused(agent, 0.1)).toBe(true)
    clock.set(Date.UTC(2026, 10, 30, 23))
    expect(await isRefused(agent, 0.1)).toBe(false)
  })
})

const told = async () => {
  const rows = await world.sql(
    `select event ->> 'percent' as percent from timeline
     where tenant_id = $1 and agent_id = $1 and event ->> 'type' = 'budget.reached' order by sequence`,
    [world.tenant.id],
  )
  return rows.map(({ percent }) => Number(percent))
}

describe('an assignment says that no budget applies', () => {
  test('unless the agent has one, or its tree', async () => {
    expect((await world.running('free')).run.unbudgeted).toBe(true)
    expect((await world.running('own', { maxCost: 1 })).run.unbudgeted).toBeUndefined()
    expect((await world.running(['own', 'child'])).run.unbudgeted).toBeUndefined()
  })

  test('unless the tenant has a monthly one', async () => {
    await write({ amount: 10 })
    expect((await world.running('one')).run.unbudgeted).toBeUndefined()
  })
})

describe('people are told', () => {
  test('at 50, 80 and 100 %, once each and month, also by a soft budget, which refuses nothing', async () => {
    await write({ amount: 10, mode: 'soft' })
    must(
      await world.admin.write('integration', 'hook', {
        type: 'webhook',
        url: 'https://example.com',
        events: ['*'],
      }),
    )
    const agent = await world.running('one')
    for (const cost of [4, 1, 1, 2, 1, 2, 5]) {
      await world.beat(agent.run, usage(cost))
      await Promise.all([look(), look()])
    }
    expect(await told()).toEqual([50, 80, 100])
    expect(await isRefused(agent, 3)).toBe(false)
    clock.set(DECEMBER)
    await world.beat(agent.run, usage(9))
    await look()
    expect(await told()).toEqual([50, 80, 100, 80])
  })
})

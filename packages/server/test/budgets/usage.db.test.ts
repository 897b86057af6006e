import { TestClock, type TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

const NOW = Date.UTC(2026, 10, 18, 12, 30)
const HOUR_MS = 3_600_000

const clock = new TestClock(NOW)
let world: AgentWorld
let viewer: TestClient

interface Answer {
  readonly times: string[]
  readonly groups: { name: string; cost: number; inputTokens: string; times: { cost: number }[] }[]
  readonly others?: { cost: number }
  readonly otherGroups: number
  readonly total: { cost: number; outputTokens: string }
}

const read = async (body: object, by = world.admin) =>
  must(await by.post('/v1/usage', body)).body as unknown as Answer
const costs = ({ groups }: Answer) => Object.fromEntries(groups.map(({ name, cost }) => [name, cost]))

const inOpen = (ticket: string) => ({ agentId: { workspace: 'open' }, labels: { ticket } })

const budgetNames = async (by: TestClient) =>
  (must(await by.get('/v1/budgets')).body['budgets'] as { name: string }[]).map(({ name }) => name)

async function spend(
  name: string,
  cost: number,
  model: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { run } = await world.running(name, fields)
  const usage = { cost, inputTokens: '100', cachedInputTokens: '40', outputTokens: '10', model }
  must(await world.beat(run, { usage }))
}

beforeAll(async () => {
  world = await AgentWorld.start({ clock })
  viewer = await world.tenant.as('viewer', 'vera')
  must(await world.admin.write('team', 'red', { members: [{ account: 'vera', role: 'viewer' }] }))
  must(await world.admin.write('team', 'blue', {}))
  must(await world.admin.write('workspace', 'reds', { team: 'red' }))
  must(await world.admin.write('workspace', 'blues', { team: 'blue' }))
  must(await world.admin.write('workspace', 'open', {}))
  clock.set(NOW - 25 * HOUR_MS)
  await spend('old', 8, 'large', { agentId: { workspace: 'reds' } })
  clock.set(NOW - 2 * HOUR_MS)
  await spend('one', 1, 'large', { agentId: { workspace: 'reds' }, labels: { project: 'x' } })
  await spend('two', 2, 'small', { agentId: { workspace: 'blues' }, labels: { project: '=y' } })
  clock.set(NOW)
  await spend('three', 4, 'small', { agentId: { workspace: 'open' } })
  for (const [name, fields] of Object.entries({
    all: {},
    red: { team: 'red' },
    blue: { team: 'blue' },
    x: { label: 'project=x' },
  }))
    must(await world.admin.write('budget', name, { amount: 10, ...fields }))
}, 60_000)

afterAll(() => world.close())

describe('usage', () => {
  test('is added up by workspace, team, persona, model, account and label', async () => {
    expect(costs(await read({}))).toEqual({ open: 4, blues: 2, reds: 1 })
    expect(costs(await read({ groupBy: 'team' }))).toEqual({ '': 4, blue: 2, red: 1 })
    expect(costs(await read({ groupBy: 'model' }))).toEqual({ small: 6, large: 1 })
    expect(costs(await read({ groupBy: 'label', label: 'project' }))).toEqual({ '=y': 2, x: 1 })
    const [persona] = (await read({ groupBy: 'persona' })).groups
    expect(persona).toMatchObject({ cost: 7, inputTokens: '300' })
    const [account] = (await read({ groupBy: 'account' })).groups
    expect(account?.name).toMatch(/^PROVIDER_[A-Z_]+\/.+/)
  })

  test('has every hour or day of the period, and nothing older', async () => {
    const day = await read({})
    expect(day.times).toHaveLength(24)
    expect(day.times.at(-1)).toBe('2026-11-18T12:00:00.000Z')
    const reds = day.groups.find(({ name }) => name === 'reds')
    expect(reds?.times.map(({ cost }) => cost).slice(-4)).toEqual([0, 1, 0, 0])
    const week = await read({ period: '7d' })
    expect(week.times).toHaveLength(7)
    expect(week.total).toMatchObject({ cost: 15, outputTokens: '40' })
    expect((await read({ period: '30d' })).groups[0]?.times.map(({ cost }) => cost).slice(-2)).toEqual([8, 1])
  })

  test('of other teams is left out, also of sums and budgets', async () => {
    const seen = await read({ period: '7d' }, viewer)
    expect(costs(seen)).toEqual({ reds: 9, open: 4 })
    expect(seen.total.cost).toBe(13)
    expect(costs(await read({ groupBy: 'label', label: 'project' }, viewer))).toEqual({ x: 1 })
    expect(await budgetNames(world.admin)).toEqual(['all', 'blue', 'red', 'x'])
    expect(await budgetNames(viewer)).toEqual(['red'])
    expect((await viewer.get('/v1/catalog/budget/all')).status).toBe(404)
    expect((await viewer.get('/v1/catalog/budget/red')).status).toBe(200)
  })

  test('beyond the 20 most expensive groups is one more', async () => {
    const labelled = Array.from({ length: 25 }, (_, index) => `value-${index}`)
    for (const value of labelled)
      await spend(value, 1, 'large', { agentId: { workspace: 'open' }, labels: { many: value } })
    const { groups, others, otherGroups } = await read({ groupBy: 'label', label: 'many' })
    expect(groups).toHaveLength(20)
    expect(others?.cost).toBe(5)
    expect(otherGroups).toBe(5)
  }, 60_000)

  test('beyond 500 values of a label in an hour counts together, except where a budget is for the value', async () => {
    await world.sql(
      `insert into usage_by_label select $1, $2, 'ticket', 'T-' || n, 'open', 0, 0, 0, 0, 0 from generate_series(1, 500) n`,
      [world.tenant.id, new Date(Math.floor(NOW / HOUR_MS) * HOUR_MS)],
    )
    must(await world.admin.write('budget', 'vip', { amount: 10, label: 'ticket=vip' }))
    await spend('known-ticket', 2, 'large', inOpen('T-7'))
    await spend('vip-ticket', 1, 'large', inOpen('vip'))
    for (const ticket of ['new', 'newer']) await spend(`${ticket}-ticket`, 4, 'large', inOpen(ticket))
    const { groups, others, otherGroups } = await read({ groupBy: 'label', label: 'ticket' })
    expect(groups.slice(0, 2)).toMatchObject([
      { name: 'T-7', cost: 2 },
      { name: 'vip', cost: 1 },
    ])
    expect(others?.cost).toBe(8)
    expect(otherGroups).toBe(501 - 20 + 1)
    must(await world.admin.delete('/v1/catalog/budget/vip'))
  })

  test('by label needs its name, and a run cannot read any', async () => {
    for (const body of [{ groupBy: 'label' }, { label: 'x' }, { groupBy: 'label', label: 'a\u0000b' }])
      expect((await world.admin.post('/v1/usage', body)).status).toBe(400)
    const { run } = await world.running('curious', { agentId: { workspace: 'open' } })
    expect((await world.tenant.client(run.runKey).post('/v1/usage', {})).status).toBe(403)
  })
})

test('budgets say what is spent of them in which month', async () => {
  const { budgets } = must(await world.admin.get('/v1/budgets')).body as { budgets: object[] }
  expect(budgets[2]).toMatchObject({
    name: 'red',
    mode: 'hard',
    amount: 10,
    spent: 9,
    reserved: 0,
    timeZone: 'UTC',
    startTime: '2026-11-01T00:00:00.000Z',
    endTime: '2026-12-01T00:00:00.000Z',
    team: 'red',
  })
})

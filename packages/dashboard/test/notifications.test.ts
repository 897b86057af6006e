import { expect, test } from 'vitest'
import { NewsDesk } from '../src/notifications/agent-news.ts'
import { TenantDesk, type TenantFacts } from '../src/notifications/tenant-news.ts'
import { makeItem } from './fleet/fleet-entries.ts'

const entry = (...args: Parameters<typeof makeItem>) => makeItem(...args).entry
const asking = entry('a', { phase: 'PHASE_WAITING', needsInput: 'Which\n**currency**?', runCount: '1' })

test('a question, an end and a failure are news once', () => {
  const desk = new NewsDesk()
  expect(desk.read(asking)).toMatchObject([{ title: 'shop/a asks', text: 'Which currency?' }])
  expect(desk.read({ ...asking, cost: 3 })).toEqual([])
  expect(desk.read({ ...asking, runCount: '2' })).toMatchObject([{ title: 'shop/a asks' }])
  expect(desk.read(entry('a', { phase: 'PHASE_COMPLETED', needsInput: '' }))).toMatchObject([
    { title: 'shop/a has finished' },
  ])
  expect(
    desk.read(entry('b', { phase: 'PHASE_FAILED', needsInput: '', errorMessage: 'No model.' })),
  ).toMatchObject([{ title: 'shop/b has failed', text: 'No model.' }])
})

test('what was so before, what runs, and what children do is no news', () => {
  const desk = new NewsDesk()
  desk.learn(asking)
  expect(desk.read(asking)).toEqual([])
  expect(desk.read(entry('a', { phase: 'PHASE_RUNNING', needsInput: '' }))).toEqual([])
  expect(desk.read(entry('c', { phase: 'PHASE_WAITING', needsInput: '' }))).toEqual([])
  const child = { ...asking, agentId: { ...asking.agentId, agent: ['a', 'child'] } }
  expect(desk.read(child)).toEqual([])
})

test('the budget of an agent and its children is news at 80 and at 100 percent, and again once it was raised', () => {
  const desk = new NewsDesk()
  const titles = (budgetReached: number, fields = {}) =>
    desk.read(entry('a', { budgetReached, maxCost: 5, ...fields })).map(({ title }) => title)
  desk.learn(entry('a'))
  expect(titles(0)).toEqual([])
  expect(titles(80)).toEqual(['shop/a has spent 80 % of its budget'])
  expect(titles(80)).toEqual([])
  expect(titles(100, { phase: 'PHASE_WAITING', needsInput: 'More?' })).toEqual([
    'shop/a asks',
    'shop/a has used up its budget',
  ])
  expect(titles(0)).toEqual([])
  expect(titles(80)).toEqual(['shop/a has spent 80 % of its budget'])
  expect(titles(100, { phase: 'PHASE_COMPLETED' })).toEqual(['shop/a has finished'])
})

test('a budget of which nobody knows when it was spent is no news', () => {
  expect(new NewsDesk().read(entry('a', { budgetReached: 100, maxCost: 5 }))).toEqual([])
})

test('a long text is cut', () => {
  const [news] = new NewsDesk().read({ ...asking, needsInput: 'x'.repeat(100_000) })
  expect(news?.text).toHaveLength(200)
})

const budget = (spent: number, fields: Partial<TenantFacts['budgets'][number]> = {}) => ({
  name: 'team',
  mode: 'hard' as const,
  amount: 100,
  spent,
  reserved: 0,
  timeZone: 'UTC',
  startTime: '2026-11-01T00:00:00.000Z',
  endTime: '2026-12-01T00:00:00.000Z',
  team: '',
  account: '',
  ownerProvider: 'PROVIDER_UNSPECIFIED' as const,
  label: '',
  ...fields,
})

const integration = (state: 'ACTIVE' | 'DISABLED') => ({
  name: 'chat',
  type: 'webhook',
  url: '',
  to: [],
  state,
  disabledBecause: state === 'DISABLED' ? 'The receiver answered 410.' : '',
  failures: 0,
  failingSince: '',
  deliveredTime: '',
  nextAttemptTime: '',
  waitingAgents: 0,
  waitingSince: '',
  hours: [],
})

test('a budget at 80 and at 100 percent is news once each, and again in the next month', () => {
  const desk = new TenantDesk()
  const titles = (...budgets: TenantFacts['budgets']) =>
    desk.read({ budgets, integrations: [] }).map(({ title }) => title)
  expect(titles(budget(10))).toEqual([])
  expect(titles(budget(81))).toEqual(['Budget team: 80 % spent'])
  expect(titles(budget(99.9))).toEqual([])
  expect(desk.read({ budgets: [budget(101)], integrations: [] })).toMatchObject([
    { title: 'Budget team: 100 % spent', text: '$101.00 of $100.00: model calls are refused.' },
  ])
  expect(titles(budget(85, { startTime: '2026-12-01T00:00:00.000Z' }))).toEqual(['Budget team: 80 % spent'])
})

test('an integration that was disabled is news, unless it was so before', () => {
  const desk = new TenantDesk()
  const read = (state: 'ACTIVE' | 'DISABLED') =>
    desk.read({ budgets: [], integrations: [integration(state)] })
  expect(read('DISABLED')).toEqual([])
  expect(read('ACTIVE')).toEqual([])
  expect(read('DISABLED')).toMatchObject([
    { title: 'Integration chat was disabled', text: 'The receiver answered 410.' },
  ])
})

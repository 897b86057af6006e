import type { AgentStatus, FleetEntry, Task } from '@skein/client'
import { describe, expect, it } from 'vitest'
import { readAgentSearch } from '../../src/pages/agent/agent-search.ts'
import { readBudgetShare } from '../../src/agent/budget-share.ts'
import {
  listDeliveries,
  readDeliveryTime,
  settleDelivery,
  toLocalTime,
  toSendOptions,
} from '../../src/pages/agent/composer/delivery.ts'
import {
  isOver,
  readShareLink,
  shareAddress,
  toShareLinkDocument,
} from '../../src/pages/agent/share-links.ts'
import { findBlockers } from '../../src/agent/task-states.ts'
import { orderTree } from '../../src/pages/agent/order-tree.ts'
import { readShareKey } from '../../src/pages/share/read-share-key.ts'
import { AGENT } from './agent-events.ts'

const NOW = Date.UTC(2026, 10, 15, 9)
const values = (status: AgentStatus) => listDeliveries(status).map(({ value }) => value)
const task = (id: string, status: Task['status'], ...blockedBy: string[]) =>
  ({ id, subject: `Do ${id}`, status, blockedBy }) as unknown as Task
const entry = (...agent: string[]) => ({ agentId: { ...AGENT, agent } }) as unknown as FleetEntry

describe('the address of an agent’s page', () => {
  it('keeps a tab and an event that make sense, and nothing else', () => {
    expect(readAgentSearch({ tab: 'runs', event: '12', other: 1 })).toEqual({ tab: 'runs', event: 12 })
    expect(readAgentSearch({ tab: 'nonsense', event: '-1' })).toEqual({})
    expect(readAgentSearch({ event: '1e999' })).toEqual({})
  })
})

describe('delivery', () => {
  const atRest = { run: { state: 'RUN_STATE_ENDED' }, followUps: [] } as unknown as AgentStatus
  const inRun = { run: { state: 'RUN_STATE_RUNNING' }, followUps: [] } as unknown as AgentStatus

  it('offers to steer and preempt only when there is something to steer and preempt', () => {
    expect(values(inRun)).toEqual(['queue', 'steer', 'preempt', 'later'])
    expect(values(atRest)).toEqual(['queue', 'later'])
  })

  it('falls back to the queue when the run ends while someone is typing', () => {
    expect(settleDelivery('steer', listDeliveries(atRest))).toBe('queue')
    expect(settleDelivery('steer', listDeliveries(inRun))).toBe('steer')
  })

  it('becomes what the service understands', () => {
    expect(toSendOptions('queue', '')).toEqual({})
    expect(toSendOptions('preempt', '')).toEqual({ preempt: true })
    expect(toSendOptions('later', '2026-11-15T10:00:00.000Z')).toEqual({
      deliverAt: '2026-11-15T10:00:00.000Z',
    })
  })

  it('is deferred by minutes or to a time, from now and up to 30 days', () => {
    expect(readDeliveryTime({ minutes: '60', localTime: '' }, NOW).deliverAt).toBe('2026-11-15T10:00:00.000Z')
    const localTime = toLocalTime(NOW + 120_000)
    expect(readDeliveryTime({ minutes: 'at', localTime }, NOW).deliverAt).toBe('2026-11-15T09:02:00.000Z')
    expect(readDeliveryTime({ minutes: 'at', localTime: toLocalTime(NOW - 60_000) }, NOW).problem).not.toBe(
      '',
    )
    expect(readDeliveryTime({ minutes: 'at', localTime: '' }, NOW).problem).not.toBe('')
    expect(readDeliveryTime({ minutes: String(31 * 1440), localTime: '' }, NOW).problem).not.toBe('')
  })
})

it('a budget turns from fine to close to spent', () => {
  expect(readBudgetShare(1, 0)).toBeUndefined()
  expect(readBudgetShare(1, 10)).toEqual({ percent: 10, tone: 'fine' })
  expect(readBudgetShare(8, 10)).toEqual({ percent: 80, tone: 'close' })
  expect(readBudgetShare(25, 10)).toEqual({ percent: 100, tone: 'spent' })
})

it('a task is blocked only by open tasks', () => {
  const tasks = [
    task('a', 'TASK_STATUS_COMPLETED'),
    task('b', 'TASK_STATUS_PENDING'),
    task('c', 'TASK_STATUS_PENDING', 'a', 'b'),
  ]
  expect(tasks.map((each) => findBlockers(each, tasks))).toEqual([[], [], ['Do b']])
})

it('a tree lists children right behind their parent', () => {
  const ordered = orderTree([
    entry('a-b'),
    entry('a', 'z'),
    entry('a', 'c', 'd'),
    entry('a', 'c'),
    entry('a'),
  ])
  expect(ordered.map(({ agentId }) => agentId.agent.join('/'))).toEqual(['a', 'a/c', 'a/c/d', 'a/z', 'a-b'])
})

describe('share links', () => {
  const document = toShareLinkDocument(AGENT, { description: ' For us ', days: '7' }, NOW)
  const resource = { kind: 'share-link', name: 'release-1', generation: '1', isBuiltIn: false, document }

  it('name the agent, and end after the chosen days or never', () => {
    expect(document).toEqual({
      workspace: 'shop',
      agent: ['release'],
      account: 'ada',
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      description: 'For us',
      expireTime: '2026-11-22T09:00:00.000Z',
    })
    expect(toShareLinkDocument(AGENT, { description: '', days: 'never' }, NOW)).not.toHaveProperty(
      'expireTime',
    )
  })

  it('are listed for their own agent only', () => {
    expect(readShareLink(resource, AGENT)?.name).toBe('release-1')
    expect(readShareLink(resource, { ...AGENT, agent: ['release', 'docs'] })).toBeUndefined()
    expect(readShareLink(resource, { ...AGENT, account: 'bob' })).toBeUndefined()
  })

  it('are over when revoked or expired', () => {
    const link = {
      name: '',
      generation: '1',
      description: '',
      expireTime: '2026-11-22T09:00:00.000Z',
      isRevoked: false,
    }
    expect(isOver(link, NOW)).toBe(false)
    expect(isOver({ ...link, isRevoked: true }, NOW)).toBe(true)
    expect(isOver(link, NOW + 8 * 86_400_000)).toBe(true)
  })

  it('keep their key behind the hash, where only the page reads it', () => {
    const address = shareAddress('https://skein.example.com', 'skl_c1abc.secret')
    expect(readShareKey(new URL(address).hash)).toBe('skl_c1abc.secret')
    expect(readShareKey('#skn_c1abc.secret')).toBeUndefined()
    expect(readShareKey('#skl_%E0%A4%A')).toBeUndefined()
    expect(readShareKey('')).toBeUndefined()
  })
})

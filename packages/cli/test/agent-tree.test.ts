import type { FleetEntry } from '@skein/client'
import { expect, test } from 'vitest'
import { buildTree, flatten, type AgentNode } from '../src/agent-tree.ts'

function entry(name: string, { account = 'ada', labels = {} } = {}): FleetEntry {
  const [workspace = '', ...agent] = name.split('/')
  return {
    agentId: {
      tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account,
      workspace,
      agent,
    },
    phase: 'PHASE_RUNNING',
    cost: 0,
    progressAt: '',
    repos: [],
    dashboardUrl: '',
    inputTokens: '0',
    cachedInputTokens: '0',
    outputTokens: '0',
    totalTokens: '0',
    needsInput: '',
    pendingReason: '',
    pendingUntil: '',
    createTime: '2026-11-15T09:30:00.000Z',
    endTime: '',
    labels,
    persona: 'default',
    model: '',
    maxCost: 0,
    budgetReached: 0,
    runCount: '1',
    errorMessage: '',
    openTasks: 0,
    totalTasks: 0,
    description: '',
    nextDeliverAt: '',
    lastMessage: '',
  }
}

function draw(nodes: readonly AgentNode[], indent = ''): string[] {
  return nodes.flatMap(({ name, children }) => [indent + name, ...draw(children, `${indent} `)])
}

test('children stand under their parents whatever order they come in', () => {
  const entries = [entry('shop/release/docs/notes'), entry('shop/release'), entry('shop/release/docs')]
  expect(draw(buildTree(entries, {}))).toEqual([
    'shop/release',
    ' shop/release/docs',
    '  shop/release/docs/notes',
  ])
})

test('an agent whose parent is not listed is not lost', () => {
  expect(draw(buildTree([entry('shop/ended/child')], {}))).toEqual(['shop/ended/child'])
})

test('agents of two owners with one name keep their own children', () => {
  const entries = ['ada', 'bob'].flatMap((account) => [
    entry('shop/fix', { account }),
    entry('shop/fix/tests', { account }),
  ])
  expect(flatten(buildTree(entries, {})).map(({ entry: { agentId } }) => agentId.account)).toEqual([
    'ada',
    'ada',
    'bob',
    'bob',
  ])
})

test('labels choose roots, and what is below a root comes along', () => {
  const entries = [
    entry('shop/fix', { labels: { team: 'payments' } }),
    entry('shop/fix/tests'),
    entry('shop/other'),
  ]
  expect(draw(buildTree(entries, { labels: { team: 'payments' } }))).toEqual(['shop/fix', ' shop/fix/tests'])
})

test('the descendants of an agent are shown without it', () => {
  const entries = [entry('shop/fix'), entry('shop/fix/tests'), entry('shop/fix/tests/unit')]
  expect(draw(buildTree(entries, { below: 'shop/fix' }))).toEqual(['shop/fix/tests', ' shop/fix/tests/unit'])
})

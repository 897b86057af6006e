import { expect, test } from 'vitest'
import { topicOf, wantsTopic } from '../../../src/automations/notifications/topics.ts'
import { routeChanges } from '../../../src/automations/webhooks/route-changes.ts'

const phase = (to: string, needsInput = '') => topicOf({ type: 'agent.phase-changed', to, needsInput })

test('only what people should know has a topic', () => {
  expect(phase('PHASE_WAITING', 'Which?')).toBe('question')
  expect(phase('PHASE_WAITING')).toBeUndefined()
  expect(phase('PHASE_RUNNING', 'Which?')).toBeUndefined()
  expect(phase('PHASE_COMPLETED')).toBe('finished')
  expect(phase('PHASE_FAILED')).toBe('failed')
  expect(phase('PHASE_CANCELED')).toBeUndefined()
  expect(topicOf({ type: 'agent.budget-reached' })).toBe('budget')
  expect(topicOf({ type: 'integration.disabled' })).toBe('integration-disabled')
  expect(topicOf({ type: 'budget.reached' })).toBe('budget')
  expect(topicOf({ type: 'run.ended', to: 'PHASE_FAILED' })).toBeUndefined()
})

test('children are told about only on request', () => {
  const all = { notify: [], children: false }
  expect(wantsTopic(all, 'failed', ['a'])).toBe(true)
  expect(wantsTopic(all, 'failed', ['a', 'b'])).toBe(false)
  expect(wantsTopic({ ...all, children: true }, 'failed', ['a', 'b'])).toBe(true)
  expect(wantsTopic(all, 'integration-disabled', [])).toBe(true)
  expect(wantsTopic({ ...all, notify: ['question'] }, 'failed', ['a'])).toBe(false)
  expect(wantsTopic(all, undefined, ['a'])).toBe(false)
})

test('people get a range that begins and ends with something to tell, whatever events there are around it', () => {
  const filter = { events: ['*'], workspaces: [], labels: {}, tree: '', account: '' }
  const change = {
    agentId: 'id',
    identity: { workspace: 'shop', ownerProvider: 'PROVIDER_CODEHOST_OAUTH', account: 'ada', path: ['a'] },
    labels: {},
    firstSequence: 10n,
    types: ['run.ended', 'agent.phase-changed', 'task.created', 'agent.budget-reached', 'run.queued'],
    topics: [undefined, 'question', undefined, 'budget', undefined],
  } as const
  const people = { name: 'chat', filter, topics: { notify: [], children: false } }
  expect(routeChanges([people, { name: 'hook', filter }], [change])).toEqual([
    { integration: 'chat', agentId: 'id', firstSequence: 11n, lastSequence: 13n },
    { integration: 'hook', agentId: 'id', firstSequence: 10n, lastSequence: 14n },
  ])
  expect(routeChanges([{ ...people, topics: { notify: ['failed'], children: false } }], [change])).toEqual([])
})

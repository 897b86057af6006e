import { expect, test } from 'vitest'
import { NewsDesk } from '../src/notifications/agent-news.ts'
import { makeItem } from './fleet/fleet-entries.ts'

const entry = (...args: Parameters<typeof makeItem>) => makeItem(...args).entry
const asking = entry('a', { phase: 'PHASE_WAITING', needsInput: 'Which\n**currency**?', runCount: '1' })

test('a question, an end and a failure are news once', () => {
  const desk = new NewsDesk()
  expect(desk.read(asking)).toMatchObject({ title: 'shop/a asks', text: 'Which currency?' })
  expect(desk.read({ ...asking, cost: 3 })).toBeUndefined()
  expect(desk.read({ ...asking, runCount: '2' })).toMatchObject({ title: 'shop/a asks' })
  expect(desk.read(entry('a', { phase: 'PHASE_COMPLETED', needsInput: '' }))).toMatchObject({
    title: 'shop/a has finished',
  })
  expect(
    desk.read(entry('b', { phase: 'PHASE_FAILED', needsInput: '', errorMessage: 'No model.' })),
  ).toMatchObject({ title: 'shop/b has failed', text: 'No model.' })
})

test('what was so before, what runs, and what children do is no news', () => {
  const desk = new NewsDesk()
  desk.learn(asking)
  expect(desk.read(asking)).toBeUndefined()
  expect(desk.read(entry('a', { phase: 'PHASE_RUNNING', needsInput: '' }))).toBeUndefined()
  expect(desk.read(entry('c', { phase: 'PHASE_WAITING', needsInput: '' }))).toBeUndefined()
  const child = { ...asking, agentId: { ...asking.agentId, agent: ['a', 'child'] } }
  expect(desk.read(child)).toBeUndefined()
})

test('a long text is cut', () => {
  const news = new NewsDesk().read({ ...asking, needsInput: 'x'.repeat(100_000) })
  expect(news?.text).toHaveLength(200)
})

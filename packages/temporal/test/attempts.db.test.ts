import { scriptOf, waitFor, type Step } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentWork } from '../src/agent-work.ts'
import { awaitAnswer } from '../src/await-answer.ts'
import { agentFor, runAgent } from '../src/run-agent.ts'
import { startWorld, TestAttempt, type World } from './attempts-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const work = (...steps: readonly Step[]): AgentWork => ({
  workspace: 'default',
  description: scriptOf(...steps),
})
const HANGS = work({ do: 'hang' })

const start = (attempt: TestAttempt, given: AgentWork) => runAgent(world.skein, attempt, given)
const phaseOf = async (attempt: TestAttempt) =>
  (await agentFor(world.skein, HANGS, attempt.cause).status()).phase

async function countAgents({ cause: { workflowId } }: TestAttempt): Promise<number> {
  let count = 0
  const labels = { 'temporal/workflow': workflowId }
  for await (const _agent of world.skein.fleet({ labels, includeTerminal: true })) count++
  return count
}

const isSpawned = (attempt: TestAttempt) =>
  waitFor(async () => (await countAgents(attempt)) > 0, { what: 'the agent' })

test('an agent that completes or asks is an answer', async () => {
  const done = await start(new TestAttempt('done'), work({ do: 'finish', output: '{"ok":true}' }))
  expect(done).toMatchObject({ outcome: 'completed', output: { ok: true }, question: '' })
  const asks = await start(new TestAttempt('asks'), work({ do: 'ask', question: 'Which?' }))
  expect(asks).toMatchObject({ outcome: 'waiting', question: 'Which?' })
})

test('an agent that fails or is canceled is a failure that is not tried again', async () => {
  const failing = start(new TestAttempt('fails'), work({ do: 'fail', isRetryable: false }))
  await expect(failing).rejects.toMatchObject({ type: 'SkeinAgentFailed', nonRetryable: true })
  const attempt = new TestAttempt('killed')
  const killed = start(attempt, HANGS)
  const refused = failureOf(killed)
  await isSpawned(attempt)
  await agentFor(world.skein, HANGS, attempt.cause).kill()
  expect(await refused).toMatchObject({ type: 'SkeinAgentCanceled', nonRetryable: true })
})

test('a second attempt finds the agent of the first, even if that has ended', async () => {
  const given = work({ do: 'finish' })
  const first = await start(new TestAttempt('again'), given)
  const second = new TestAttempt('again', { number: 2 })
  expect(await start(second, given)).toEqual(first)
  expect(await countAgents(second)).toBe(1)
})

test('a second attempt with other work, of a newer worker, finds the agent too', async () => {
  const first = await start(new TestAttempt('newer'), work({ do: 'finish' }))
  const second = new TestAttempt('newer', { number: 2 })
  expect(await start(second, work({ do: 'finish', output: '1' }))).toMatchObject({ agent: first.agent })
  expect(await countAgents(second)).toBe(1)
})

test('ten attempts at once spawn one agent', async () => {
  const given = work({ do: 'work', ms: 300 }, { do: 'finish' })
  const attempts = Array.from({ length: 10 }, (_, index) => new TestAttempt('race', { number: index + 1 }))
  const answers = await Promise.all(attempts.map((attempt) => start(attempt, given)))
  expect(new Set(answers.map(({ agent }) => agent)).size).toBe(1)
  expect(await countAgents(new TestAttempt('race'))).toBe(1)
})

test('an agent that an earlier attempt has seen is never spawned again', async () => {
  const attempt = new TestAttempt('gone', { number: 2, previousDetails: { agent: 'default/x' } })
  await expect(start(attempt, HANGS)).rejects.toMatchObject({ type: 'AGENT_NOT_FOUND', nonRetryable: true })
  expect(await countAgents(attempt)).toBe(0)
})

test('while it waits it sends heartbeats that name the agent', async () => {
  const attempt = new TestAttempt('beats')
  const waiting = failureOf(start(attempt, HANGS))
  await waitFor(() => attempt.beats.length >= 4, { what: 'heartbeats' })
  expect(attempt.beats.at(-1)).toEqual({ agent: agentFor(world.skein, HANGS, attempt.cause).name })
  attempt.cancel('requested')
  expect(await waiting).toMatchObject({ message: 'requested' })
  const { length } = attempt.beats
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(attempt.beats).toHaveLength(length)
})

test.each([
  ['a requested cancellation', 'requested', true, 'PHASE_CANCELED'],
  ['the end of its workflow', 'gone', false, 'PHASE_CANCELED'],
  ['an attempt that was replaced', 'gone', true, 'PHASE_RUNNING'],
  ['a worker that shuts down', 'shutdown', true, 'PHASE_RUNNING'],
  ['a pause of the activity', 'other', true, 'PHASE_RUNNING'],
] as const)('after %s the agent is as it should be', async (what, cancellation, isOpen, phase) => {
  const attempt = new TestAttempt(what)
  attempt.isOpen = isOpen
  const message = cancellation === 'shutdown' ? 'The worker is shutting down.' : cancellation
  const ended = failureOf(start(attempt, HANGS))
  await waitFor(
    async () => (await countAgents(attempt)) > 0 && (await phaseOf(attempt)) === 'PHASE_RUNNING',
    {
      what: 'the agent to run',
    },
  )
  attempt.cancel(cancellation)
  expect(await ended).toMatchObject({ message })
  expect(await phaseOf(attempt)).toBe(phase)
  await agentFor(world.skein, HANGS, attempt.cause).kill()
})

test('a cancellation while the agent is being spawned leaves none behind', async () => {
  const attempt = new TestAttempt('at once')
  const ended = failureOf(start(attempt, HANGS))
  attempt.cancel('requested')
  expect(await ended).toMatchObject({ message: 'requested' })
  expect(await phaseOf(attempt)).toBe('PHASE_CANCELED')
})

test('a cancelled wait leaves the agents of others alone', async () => {
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'hang' }) })
  const attempt = new TestAttempt('visitor')
  const ended = failureOf(awaitAnswer(attempt, agent))
  await waitFor(() => attempt.beats.length > 1, { what: 'heartbeats' })
  attempt.cancel('requested')
  expect(await ended).toMatchObject({ message: 'requested' })
  expect((await agent.status()).phase).not.toBe('PHASE_CANCELED')
  await agent.kill()
})

function failureOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => 'no failure',
    (error: unknown) => error,
  )
}

import type { SimulatorStep } from '@skein/simulator'
import { expect } from 'vitest'
import type { ErrorKind } from '../../../src/backends/backend.ts'
import type { ConformanceCase } from './case.ts'
import type { Bench } from './bench.ts'

/** A program's own patience with a provider that refuses; the runner is the one who waits for longer. */
const PATIENCE_MS = 30_000

interface Refusal {
  readonly name: string
  readonly steps: readonly SimulatorStep[]
  readonly kind: ErrorKind
  readonly httpStatus?: number
}

const refusals: readonly Refusal[] = [
  {
    name: 'a token that is refused fails the turn as "auth" within seconds',
    steps: [{ error: 401, message: 'No such token.', times: 'always' }],
    kind: 'auth',
    httpStatus: 401,
  },
  {
    name: 'too many requests fail the turn as "rate-limit"',
    steps: [{ error: 429, times: 'always' }],
    kind: 'rate-limit',
    httpStatus: 429,
  },
  {
    name: 'a provider that is overloaded (503) fails the turn as "overloaded"',
    steps: [{ error: 503, times: 'always' }],
    kind: 'overloaded',
  },
  {
    name: 'a provider that is overloaded (529) fails the turn as "overloaded"',
    steps: [{ error: 529, times: 'always' }],
    kind: 'overloaded',
  },
  {
    name: 'a request that the provider does not accept fails the turn as "bad-request"',
    steps: [{ error: 400, message: 'There is no such parameter.', times: 'always' }],
    kind: 'bad-request',
    httpStatus: 400,
  },
  {
    name: 'a connection that always breaks fails the turn as "network"',
    steps: [{ cut: true, times: 'always' }],
    kind: 'network',
  },
]

async function expectRefusal(
  bench: Bench,
  { steps, kind, httpStatus }: Omit<Refusal, 'name'>,
): Promise<void> {
  const agent = await bench.openAgent()
  const startedAt = performance.now()
  const { result } = await agent.run(steps)
  expect(result).toMatchObject({
    status: 'failed',
    error: { kind, ...(httpStatus !== undefined && { httpStatus }) },
  })
  expect(JSON.stringify(result)).not.toContain(agent.gatewayToken)
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS)
  expect(agent.requests().length).toBeLessThan(10)
}

export const errorCases: readonly ConformanceCase[] = [
  ...refusals.map(({ name, ...refusal }) => ({
    name,
    run: (bench: Bench) => expectRefusal(bench, refusal),
  })),
  {
    name: 'a conversation that is too long fails the turn as "context-length"',
    run: (bench) =>
      expectRefusal(bench, {
        steps: [{ ...bench.stage.subject.dialect.contextLength, times: 'always' }],
        kind: 'context-length',
      }),
  },
  {
    name: 'an overloaded provider that recovers costs only a notice',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([{ error: 503 }, { say: 'Back again.' }])
      expect(result).toMatchObject({ status: 'completed', text: 'Back again.' })
      expect(events.filter(({ type }) => type === 'retrying')).not.toEqual([])
    },
  },
  {
    name: 'a stream that breaks once is asked for again',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { result } = await agent.run([{ say: 'Well', cut: true }, { say: 'Well, back again.' }])
      expect(result).toMatchObject({ status: 'completed', text: 'Well, back again.' })
      expect(agent.requests().length).toBeGreaterThan(1)
    },
  },
  {
    name: 'after a refusal the agent continues its session',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const first = await agent.run([{ shell: 'echo worked' }, { error: 429, times: 'always' }], {
        words: 'The word is heliotrope.',
      })
      expect(first.result).toMatchObject({ status: 'failed', error: { kind: 'rate-limit' } })
      if (!agent.program.isAlive) await agent.reopen({ session: first.result.session })
      const second = await agent.run([{ say: 'Back again.' }])
      expect(second.result).toMatchObject({ status: 'completed', text: 'Back again.' })
      expect(JSON.stringify(agent.requests().at(-1)?.body)).toContain('heliotrope')
    },
  },
  {
    name: 'a model that says nothing more is given up after the idle limit',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      await agent.run([{ say: 'Ready.' }])
      const { result } = await agent.run([{ shell: 'echo worked' }, { hang: true, times: 'always' }], {
        limits: { idleMs: 1_500 },
      })
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'timeout' } })
      expect(result.session).toBeDefined()
      expect(agent.program.isAlive).toBe(false)
    },
  },
  {
    name: 'a turn that takes too long is given up after the wall limit, and its command is ended',
    run: async (bench) => {
      const agent = await bench.openAgent()
      await agent.run([{ say: 'Ready.' }])
      const { result } = await agent.run([{ shell: 'tail -f /dev/null' }], { limits: { wallMs: 1_500 } })
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'timeout' } })
      await agent.waitForNone('tail')
    },
  },
]

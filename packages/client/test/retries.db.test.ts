import {
  agentStatus,
  completeRun,
  deleteResource,
  pollRuns,
  queueFollowUp,
  spawnAgent,
  whoami,
  writeResource,
  type AgentId,
} from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SkeinApiError, SkeinConnectionError, SkeinTimeoutError } from '../src/index.ts'
import { startTransportWorld, type TransportWorld } from './transport-world.ts'

let world: TransportWorld
beforeAll(async () => {
  world = await startTransportWorld()
})
beforeEach(() => world.proxy.plan())
afterAll(() => world.close())

const unavailable = { do: 'answer', status: 503 } as const
const envelope = (code: number, retryDelay: string) =>
  JSON.stringify({
    code,
    message: 'Later.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
  })

const keysOf = (path: string) =>
  world.proxy.requests.filter(({ url }) => url === path).map(({ headers }) => headers['idempotency-key'])

async function pendingMessages(agentId: AgentId): Promise<number> {
  const { followUps } = await world.connect().call(agentStatus, { body: { agentId } })
  return followUps.length
}

describe('a call whose answer was lost', () => {
  test.each(['cut-answer', 'cut-body'] as const)(
    'is sent again and a spawn happens once (%s)',
    async (cut) => {
      world.proxy.plan({ do: cut })
      const { call, retries } = world.connect()
      const name = `once-${cut}`
      const { agentId } = await call(spawnAgent, {
        body: { agentId: { agent: [name] }, description: 'Work.' },
      })
      expect(agentId.agent).toEqual([name])
      expect(retries).toMatchObject([{ attempt: 1, error: { name: 'SkeinConnectionError' } }])
      expect(await pendingMessages(agentId)).toBe(1)
    },
  )

  test('leaves one message even when three answers in a row are lost', async () => {
    const { call } = world.connect()
    const spawned = { agentId: { agent: ['thrice'] }, description: 'Work.' }
    const { agentId } = await call(spawnAgent, { body: spawned })
    world.proxy.plan({ do: 'cut-answer' }, { do: 'cut-answer' }, { do: 'cut-answer' })
    await call(queueFollowUp, { body: { agentId, description: 'More.' } })
    expect(await pendingMessages(agentId)).toBe(2)
    expect(new Set(keysOf('/v1/agent/queue')).size).toBe(1)
  })

  test('of a delete finds it done', async () => {
    const { call } = world.connect()
    const params = { 'ref.kind': 'persona', 'ref.name': 'gone' }
    await call(writeResource, { params, body: { payload: btoa('{}') } })
    world.proxy.plan({ do: 'cut-answer' })
    await expect(call(deleteResource, { params })).resolves.toEqual({})
  })

  test('is reported as a connection error once the attempts are used up', async () => {
    world.proxy.plan({ do: 'cut-request' }, { do: 'cut-request' }, { do: 'cut-request' })
    const { call, retries } = world.connect({ retries: 2 })
    const error = await call(whoami).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SkeinConnectionError)
    expect(error).toMatchObject({ isRetryable: true })
    expect(retries).toHaveLength(2)
  })

  test('is not sent again by a poll, whose runs would be lost, unless the caller wants it', async () => {
    const { call } = world.connect({ apiKey: await runnerKey() })
    world.proxy.plan({ do: 'cut-answer' })
    await expect(call(pollRuns, { body: { capacity: 1 } })).rejects.toBeInstanceOf(SkeinConnectionError)
    world.proxy.plan({ do: 'cut-answer' })
    const answer = await call(pollRuns, { body: { capacity: 1 }, isRepeatable: true })
    expect(answer.runs).toBeInstanceOf(Array)
  })
})

describe('a call that is refused for now', () => {
  test.each([429, 502, 503, 504])('is retried after %s', async (status) => {
    world.proxy.plan({ do: 'answer', status })
    const { call, retries } = world.connect()
    await expect(call(whoami)).resolves.toMatchObject({ role: 'admin' })
    expect(retries).toMatchObject([{ error: { status } }])
  })

  test('is retried even by a poll, because the service itself says that nothing happened', async () => {
    const { call } = world.connect({ apiKey: await runnerKey() })
    world.proxy.plan({ ...unavailable, body: envelope(14, '0s') })
    await expect(call(pollRuns, { body: { capacity: 1 } })).resolves.toHaveProperty('runs')
    world.proxy.plan({ do: 'answer', status: 502, body: '<html>' })
    await expect(call(pollRuns, { body: { capacity: 1 } })).rejects.toMatchObject({ status: 502 })
  })

  test('waits as long as the answer asks, and some jitter', async () => {
    world.proxy.plan(
      { ...unavailable, body: envelope(14, '0.12s') },
      { ...unavailable, headers: { 'retry-after': '1' } },
    )
    const { call, retries } = world.connect({ random: () => 0.5 })
    await call(whoami)
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([120 + 125, 1000 + 250])
  })

  test('waits twice as long each time, up to a bound', async () => {
    world.proxy.plan(...Array.from({ length: 8 }, () => unavailable))
    const delays: number[] = []
    const { call } = world.connect({
      random: () => 0.001,
      retries: 8,
      onRetry: ({ delayMs }) => void delays.push(delayMs * 1000),
    })
    await call(whoami)
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000])
  })

  test('is left to the caller when the service asks for minutes', async () => {
    world.proxy.plan({ do: 'answer', status: 429, body: envelope(8, '90s') })
    await expect(world.connect().call(whoami)).rejects.toMatchObject({
      retryDelayMs: 90_000,
      isRetryable: true,
    })
  })

  test('is not retried if a retry cannot help', async () => {
    const before = world.proxy.requests.length
    const { call, retries } = world.connect()
    await expect(call(agentStatus, { body: { agentId: { agent: ['nobody'] } } })).rejects.toBeInstanceOf(
      SkeinApiError,
    )
    expect(retries).toEqual([])
    expect(world.proxy.requests.length - before).toBe(1)
  })
})

describe('the Idempotency-Key', () => {
  test('is the caller’s if given', async () => {
    const { call } = world.connect()
    const options = {
      params: { 'ref.kind': 'persona', 'ref.name': 'keyed' },
      body: { payload: btoa('{}') },
      idempotencyKey: 'mine',
    }
    const first = await call(writeResource, options)
    expect(await call(writeResource, options)).toEqual(first)
    expect(world.proxy.requests.at(-1)?.headers['idempotency-key']).toBe('mine')
  })

  test('is another for each call, and none where nothing is changed', async () => {
    const { call } = world.connect()
    const params = { 'ref.kind': 'persona', 'ref.name': 'fresh' }
    await call(writeResource, { params, body: { payload: btoa('{}') } })
    await call(writeResource, { params, body: { payload: btoa('{}') } })
    const [first, second] = keysOf('/v1/catalog/persona/fresh')
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    await call(whoami)
    expect(world.proxy.requests.at(-1)?.headers['idempotency-key']).toBeUndefined()
  })
})

describe('a time limit', () => {
  test('applies to each attempt, so one that hangs is followed by one that does not', async () => {
    world.proxy.plan({ do: 'hang' })
    const { call, retries } = world.connect({ timeoutMs: 1_000 })
    await expect(call(whoami)).resolves.toMatchObject({ role: 'admin' })
    expect(retries).toMatchObject([{ error: { name: 'SkeinTimeoutError' } }])
  })

  test('is reported as a timeout once the attempts are used up', async () => {
    world.proxy.plan({ do: 'hang' })
    await expect(world.connect().call(whoami, { timeoutMs: 50, retries: 0 })).rejects.toBeInstanceOf(
      SkeinTimeoutError,
    )
  })

  test('does not count the time that the service was asked to hold the request', async () => {
    const { call } = world.connect({ apiKey: await runnerKey(), timeoutMs: 1_500 })
    const startedAt = performance.now()
    await expect(call(pollRuns, { body: { capacity: 1, waitMs: 1_800 } })).resolves.toEqual({ runs: [] })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_790)
  })

  test('of the whole call is a deadline that ends pauses too, and says why it came to them', async () => {
    world.proxy.plan({ ...unavailable, headers: { 'retry-after': '20' } })
    const startedAt = performance.now()
    const error = await world
      .connect()
      .call(whoami, { signal: AbortSignal.timeout(1_000) })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SkeinTimeoutError)
    expect(error).toMatchObject({ cause: { status: 503 } })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('an abort by the caller', () => {
  test('ends a call in flight immediately, with the caller’s reason, and is not retried', async () => {
    world.proxy.plan({ do: 'hang' })
    const before = world.proxy.requests.length
    const { call, retries } = world.connect()
    const abort = new AbortController()
    const outcome = call(whoami, { signal: abort.signal }).catch((thrown: unknown) => thrown)
    await waitFor(() => world.proxy.requests.length > before, { what: 'the request' })
    const reason = new Error('changed my mind')
    abort.abort(reason)
    expect(await outcome).toBe(reason)
    expect(retries).toEqual([])
  })

  test('ends a pause immediately', async () => {
    world.proxy.plan({ ...unavailable, headers: { 'retry-after': '20' } })
    const abort = new AbortController()
    const { call } = world.connect({ onRetry: () => abort.abort() })
    await expect(call(whoami, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('before the call sends nothing', async () => {
    const before = world.proxy.requests.length
    const call = world.connect().call(whoami, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(world.proxy.requests.length).toBe(before)
  })

  test('leaves nothing on a signal that outlives the calls', async () => {
    const abort = new AbortController()
    let listeners = 0
    const { signal } = abort
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args))
    world.proxy.plan(unavailable)
    await world.connect({ fetch: (url, init) => fetch(url, init) }).call(whoami, { signal })
    expect(listeners).toBe(0)
  })
})

test('a report that a runner sends twice counts once', async () => {
  const { call } = world.connect({ apiKey: await runnerKey() })
  await world.connect().call(spawnAgent, { body: { agentId: { agent: ['reported'] }, description: 'Work.' } })
  const [run] = await waitFor(
    async () => {
      const { runs } = await call(pollRuns, { body: { capacity: 1 } })
      return runs.length > 0 && runs
    },
    { what: 'a run' },
  )
  if (!run) throw new Error('No run')
  world.proxy.plan({ do: 'cut-answer' })
  await expect(
    call(completeRun, { body: { lease: run.lease, outcome: { reason: 'rested' } } }),
  ).resolves.toEqual({ accepted: true })
})

let key: string | undefined
async function runnerKey(): Promise<string> {
  if (key !== undefined) return key
  const { document } = await world.tenant.admin.write('token', 'runner', {
    account: 'runners',
    role: 'runner',
    pools: ['default'],
  })
  return (key = String(document['key']))
}

import { createTransport } from '@skein/client'
import type { Assignment } from '@skein/contract'
import { inlineScript, startSimulator, type Simulator } from '@skein/simulator'
import { startTestServer, type TestClient, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ModelAccess } from '../../src/run/model-access.ts'
import { RunReporter } from '../../src/run/run-reporter.ts'
import { OPEN_MODELS, startGateway, type GatewayWorld } from '../gateway/gateway-world.ts'

const AGENTS = 50
const CAP = 10
const MOST_CALLS = 4

/** A dollar for each call. What is cached costs nothing, so that calls reserve nothing: the worst case. */
const PRICE = { model: '*', input: 1000, cachedInput: 0, cacheWrite: 1000, output: 1000 }
const usage = { input: 900, cachedInput: 0, cacheWrite: 0, output: 100 }

let server: TestServer
let admin: TestClient
let runner: TestClient
let simulator: Simulator
let gateway: GatewayWorld
let baseUrl: string

beforeAll(async () => {
  server = await startTestServer()
  const tenant = await server.createTenant()
  admin = tenant.admin
  const token = { account: 'robot', role: 'runner', pools: ['default'] }
  const answer = await tenant.operator.write('token', 'runner', token, { justification: 'a test' })
  runner = tenant.client(String(answer.document['key']))
  baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
  simulator = await startSimulator()
  gateway = await startGateway(simulator.url, ['anthropic'])
})

afterAll(async () => {
  await gateway.close()
  await simulator.close()
  await server.close()
})

async function takeRuns(): Promise<Assignment[]> {
  const runs: Assignment[] = []
  for (let index = 0; index < AGENTS; index += 1) {
    await admin.post('/v1/agent/spawn', { agentId: { agent: [`a-${index}`] }, description: 'Spend.' })
  }
  while (runs.length < AGENTS) {
    const { body } = await runner.post('/v1/runner/poll', { capacity: 100 })
    runs.push(...(body['runs'] as Assignment[]))
  }
  return runs
}

const fail = (): void => expect.fail('The run is current')

/** What happens in a turn between a runner, its gateway and the service, without the agent's program. */
async function spendAll({ lease, ...assignment }: Assignment): Promise<{ calls: number; refusal: string }> {
  const transport = createTransport({ baseUrl, apiKey: runner.key ?? '' })
  const reporter = new RunReporter(transport, {
    lease,
    signal: new AbortController().signal,
    onLost: fail,
    onRefused: fail,
  })
  const access = new ModelAccess(reporter, { now: Date.now, onEvent: () => {} }, assignment)
  const terms = { prices: [PRICE], leastPrices: [], toolPrices: [], policy: OPEN_MODELS }
  gateway.gateway.open(
    lease,
    access.grant(terms, () => {}),
  )
  let calls = 0
  while (calls < MOST_CALLS) {
    const messages = [{ role: 'user', content: inlineScript([{ say: 'Spent.', usage }]) }]
    const response = await gateway.ask('anthropic', { token: lease, body: { max_tokens: 100, messages } })
    await response.text()
    if (response.status === 402) break
    expect(response.status).toBe(200)
    calls += 1
  }
  await reporter.flush()
  await gateway.gateway.close(lease)
  const { message = '', limit } = access.budgetRefusal ?? {}
  expect(limit).toBe('monthly-budget')
  return { calls, refusal: message }
}

test('50 agents at once exceed a monthly budget by at most one call each, and what they spent is counted exactly', async () => {
  await admin.write('budget', 'month', { amount: CAP })
  const runs = await takeRuns()
  const results = await Promise.all(runs.map(spendAll))
  const calls = results.reduce((sum, result) => sum + result.calls, 0)
  console.log(`${AGENTS} agents under a budget of $${CAP} made ${calls} calls of $1`)
  expect(simulator.requests).toHaveLength(calls)
  expect(calls).toBeGreaterThanOrEqual(CAP)
  expect(calls).toBeLessThanOrEqual(CAP + AGENTS)
  for (const { refusal } of results) expect(refusal).toContain('The budget month is used up')
  const { body } = await admin.get('/v1/budgets')
  expect(body['budgets']).toMatchObject([{ spent: calls, reserved: 0 }])
  const { body: used } = await admin.post('/v1/usage', { groupBy: 'model' })
  expect(used['groups']).toMatchObject([{ name: 'claude-sonnet-5', cost: calls }])
}, 120_000)

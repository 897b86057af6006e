import { startSimulator, type Simulator } from '@skein/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROVIDER_KEYS, recordGrant, startGateway, type GatewayWorld } from './gateway-world.ts'

const providers = ['anthropic', 'openai'] as const
const REVOKED = 'sk-revoked-0123456789'

let simulator: Simulator
let world: GatewayWorld

beforeAll(async () => {
  simulator = await startSimulator({ refusedKeys: [REVOKED, PROVIDER_KEYS.openai] })
  world = await startGateway(simulator.url)
})

afterAll(async () => {
  await world.close()
  await simulator.close()
})

const body = (provider: string) =>
  provider === 'anthropic'
    ? { max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }
    : { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] }

describe.each(providers)('a call to %s', (provider) => {
  test('is paid with the tenant’s key where the run brings one, and the next with another’s', async () => {
    for (const apiKey of ['sk-of-tenant-one', 'sk-of-tenant-two']) {
      world.gateway.open('agent-token', recordGrant({ apiKey }))
      expect((await world.ask(provider, { body: body(provider) })).status).toBe(200)
      expect(simulator.requests.at(-1)?.apiKey).toBe(apiKey)
    }
  })

  test('with a key that the provider refuses ends with 401 and does not fall back to another key', async () => {
    const before = simulator.requests.length
    world.gateway.open('agent-token', recordGrant({ apiKey: REVOKED }))
    const answer = await world.ask(provider, { body: body(provider) })
    expect(answer.status).toBe(401)
    expect(await answer.text()).not.toContain(REVOKED)
    expect(simulator.requests.slice(before).map(({ apiKey }) => apiKey)).toEqual([REVOKED])
  })
})

test('the runner’s own key is tested by asking for the models, and a refusal names it', async () => {
  expect(await world.gateway.findKeyProblem('anthropic')).toBe('')
  expect(await world.gateway.findKeyProblem('openai')).toMatch(
    /^OPENAI_API_KEY was rejected by 127\.0\.0\.1:\d+ \(401\)\. Set a valid key/,
  )
})

test('an unreachable provider is reported as such', async () => {
  const nowhere = await startGateway('http://127.0.0.1:1')
  expect(await nowhere.gateway.findKeyProblem('anthropic')).toBe(
    '127.0.0.1:1 cannot be reached (ECONNREFUSED), so ANTHROPIC_API_KEY could not be tested.',
  )
  await nowhere.close()
})

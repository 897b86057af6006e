import { inlineScript, startSimulator, type Simulator, type SimulatorStep } from '@skein/simulator'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ProviderName } from '../../src/gateway/provider.ts'
import {
  OPEN_MODELS,
  PROVIDER_KEYS,
  recordGrant,
  startGateway,
  type AskOptions,
  type GatewayWorld,
  type RecordedGrant,
} from './gateway-world.ts'

let simulator: Simulator
let world: GatewayWorld
let grant: RecordedGrant

beforeAll(async () => {
  simulator = await startSimulator()
  world = await startGateway(simulator.url)
})
beforeEach(() => {
  grant = recordGrant()
  world.gateway.open('agent-token', grant)
})
afterAll(async () => {
  await world.close()
  await simulator.close()
})

const providers = ['anthropic', 'openai'] as const

/** A turn of an agent that is told what the model shall do. */
function play(
  provider: ProviderName,
  steps: readonly SimulatorStep[],
  options: AskOptions = {},
): Promise<Response> {
  const content = inlineScript(steps)
  const body =
    provider === 'anthropic'
      ? {
          max_tokens: 1_000,
          tools: [{ name: 'Bash', input_schema: {} }],
          messages: [{ role: 'user', content }],
        }
      : {
          tools: [{ type: 'function', name: 'Bash', parameters: {} }],
          input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: content }] }],
        }
  return world.ask(provider, { ...options, body: { ...body, ...options.body } })
}

const usage = { input: 1_000, cachedInput: 200, cacheWrite: 50, output: 40 }
const counts = { inputTokens: 1_250, cachedInputTokens: 200, cacheWriteTokens: 50, outputTokens: 40 }
const costs = {
  anthropic: (1_000 * 3 + 200 * 0.3 + 50 * 3.75 + 40 * 15) / 1_000_000,
  openai: (1_050 * 1.25 + 200 * 0.125 + 40 * 10) / 1_000_000,
}

describe.each(providers)('a call to %s', (provider) => {
  test.each([true, false])('is metered exactly (streamed: %s)', async (stream) => {
    const answer = await play(provider, [{ say: 'Hello, zażółć 🧵.', usage }], { body: { stream } })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hello')
    expect(grant.usages).toHaveLength(1)
    expect(grant.usages[0]).toMatchObject({ ...counts, isComplete: true, status: 200 })
    expect(grant.usages[0]?.costUsd).toBeCloseTo(costs[provider], 12)
  })

  test('is reported before the program can see its end', async () => {
    const answer = await play(provider, [{ say: 'Hello.', usage }])
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!/message_stop|response\.completed/.test(seen)) seen += (await reader?.read())?.value ?? ''
    expect(grant.usages).toHaveLength(1)
    await reader?.cancel()
  })

  test('goes out with the provider’s key and without the agent’s token', async () => {
    await (await play(provider, [{ say: 'x' }])).text()
    const sent = simulator.requests.at(-1)
    expect(sent?.apiKey).toBe(PROVIDER_KEYS[provider])
    expect(JSON.stringify(sent?.headers)).not.toContain('agent-token')
    expect(sent?.headers['accept-encoding']).toBe('identity')
  })

  test('that the budget does not cover is refused with 402 in the provider’s words, and is not sent', async () => {
    const before = simulator.requests.length
    const message = 'The budget of this agent, 5 US dollars, is used up.'
    world.gateway.open('agent-token', recordGrant({ authorize: async () => ({ isAllowed: false, message }) }))
    const answer = await play(provider, [{ say: 'x' }])
    expect(answer.status).toBe(402)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(await answer.json()).toMatchObject({ error: { message } })
    expect(simulator.requests.length).toBe(before)
  })

  test('that the tenant has for nothing costs what the operator says', async () => {
    const free = { model: '*', input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
    const least = { ...free, output: 1_000_000 }
    const frugal = recordGrant({ prices: [free], leastPrices: [least] })
    world.gateway.open('agent-token', frugal)
    await (await play(provider, [{ say: 'x' }])).text()
    const [metered] = frugal.usages
    expect(metered?.outputTokens).toBeGreaterThan(0)
    expect(metered?.costUsd).toBe(metered?.outputTokens)
  })

  test('is authorised with the least that it can cost', async () => {
    const field = provider === 'anthropic' ? 'system' : 'instructions'
    await (await play(provider, [{ say: 'x' }], { body: { [field]: 'x '.repeat(200_000) } })).text()
    const cachedPrice = provider === 'anthropic' ? 0.3 : 0.125
    expect(grant.estimates).toHaveLength(1)
    expect(grant.estimates[0]).toBeCloseTo((100_000 * cachedPrice) / 1_000_000, 3)
  })

  test('whose budget cannot be checked is refused, and may be retried', async () => {
    world.gateway.open('agent-token', recordGrant({ authorize: () => Promise.reject(new Error('down')) }))
    const answer = await play(provider, [{ say: 'x' }])
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('down')
  })

  test('of a model that the agent may not use is refused by name', async () => {
    world.gateway.open('agent-token', recordGrant({ policy: { ...OPEN_MODELS, models: ['other-*'] } }))
    const answer = await play(provider, [{ say: 'x' }])
    expect(answer.status).toBe(400)
    expect(await answer.text()).toMatch(/This agent may not use the model (claude-sonnet-5|gpt-5.5)/)
  })

  test.each(['stranger', ''])('with the token %j is refused', async (token) => {
    const answer = await play(provider, [{ say: 'x' }], { token })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toHaveProperty('error.message')
    expect(grant.usages).toEqual([])
  })

  test('with a token that was closed is refused', async () => {
    world.gateway.open('short', grant)
    expect((await play(provider, [{ say: 'x' }], { token: 'short' })).status).toBe(200)
    await world.gateway.close('short')
    expect((await play(provider, [{ say: 'x' }], { token: 'short' })).status).toBe(401)
  })

  test('that is in progress when its token is closed is cut off, after being reported', async () => {
    const answer = await play(provider, [{ say: 'Hmm.', hang: true, usage }])
    await world.gateway.close('agent-token')
    expect(grant.usages).toMatchObject([{ isComplete: false, status: 200 }])
    await expect(answer.text()).rejects.toThrow('terminated')
    await waitFor(() => simulator.requests.at(-1)?.wasAborted, { what: 'the provider to be left' })
  })

  test.each([400, 500, 529])(
    'that fails with %s costs nothing, and says what the provider said',
    async (status) => {
      const answer = await play(provider, [{ error: status, message: 'As scripted.' }])
      expect(answer.status).toBe(status)
      expect(await answer.text()).toContain('As scripted.')
      expect(grant.usages).toMatchObject([{ costUsd: 0, inputTokens: 0, isComplete: true, status }])
    },
  )

  test('that is overloaded in the middle of a stream is a limit', async () => {
    const code = provider === 'anthropic' ? 'overloaded_error' : 'rate_limit_exceeded'
    await (await play(provider, [{ error: 529, code, message: 'Try again in 3s.', inStream: true }])).text()
    expect(grant.limits).toMatchObject([
      { status: provider === 'anthropic' ? 529 : 429, code, retryAfterMs: 3_000 },
    ])
  })
})

describe('a rate limit', () => {
  test.each(providers)(
    'of %s that is short is passed on as it is, so that the program waits',
    async (provider) => {
      const answer = await play(provider, [
        { error: 429, headers: { 'retry-after': '2' }, message: 'Slow down.' },
      ])
      expect(answer.status).toBe(429)
      expect(answer.headers.get('retry-after')).toBe('2')
      expect(answer.headers.get('x-should-retry')).toBeNull()
      expect(await answer.text()).toContain('Slow down.')
      expect(grant.limits).toMatchObject([{ status: 429, retryAfterMs: 2_000, message: 'Slow down.' }])
    },
  )

  test.each(providers)('of %s that is long makes the program stop and the runner wait', async (provider) => {
    const headers = { 'retry-after': '600', 'retry-after-ms': '600000' }
    const answer = await play(provider, [{ error: 429, headers }])
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(answer.headers.get('retry-after-ms')).toBeNull()
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(grant.limits).toMatchObject([{ status: 429, retryAfterMs: 600_000 }])
  })

  test('that means the account has no credit is recognised by its code, and not retried', async () => {
    const answer = await play('openai', [{ error: 429, code: 'insufficient_quota' }])
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(grant.limits).toMatchObject([{ code: 'insufficient_quota', retryAfterMs: undefined }])
  })
})

describe('the ways through the gateway', () => {
  const count = { path: '/v1/messages/count_tokens', body: { messages: [] } }

  test('counting tokens is free, and metered as a call all the same', async () => {
    const answer = await world.ask('anthropic', count)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toHaveProperty('input_tokens')
    expect(grant.estimates).toEqual([0])
    expect(grant.usages).toMatchObject([{ costUsd: 0, inputTokens: 0, outputTokens: 0, status: 200 }])
  })

  test('counting tokens needs a budget that is not used up', async () => {
    world.gateway.open(
      'agent-token',
      recordGrant({ authorize: async () => ({ isAllowed: false, message: 'no' }) }),
    )
    expect((await world.ask('anthropic', count)).status).toBe(402)
  })

  test.each([
    ['anthropic', 'GET', '/v1/messages'],
    ['anthropic', 'POST', '/v1/messages/batches'],
    ['anthropic', 'POST', '/v1/files'],
    ['anthropic', 'POST', '/v1/messages/%2e%2e/files'],
    ['openai', 'GET', '/models'],
    ['openai', 'POST', '/files'],
    ['openai', 'POST', '/responses/compact'],
    ['openai', 'POST', '/../responses'],
  ] as const)('%s %s %s is closed', async (provider, method, path) => {
    const before = simulator.requests.length
    const answer = await world.ask(provider, { method, path })
    expect(answer.status).toBe(404)
    expect(simulator.requests.length).toBe(before)
  })

  test('a provider that is not one of ours leads nowhere', async () => {
    const url = world.urls.anthropic.replace(/anthropic$/, 'other')
    expect((await fetch(`${url}/v1/messages`, { method: 'POST' })).status).toBe(404)
  })

  test('a provider without a key says so', async () => {
    const bare = await startGateway(simulator.url, ['anthropic'])
    bare.gateway.open('agent-token', grant)
    const answer = await bare.ask('openai')
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('This runner has no key for openai.')
    await bare.close()
  })
})

test('32 streams at once are each metered as their own', async () => {
  const grants = Array.from({ length: 32 }, (_, index) => {
    const own = recordGrant()
    world.gateway.open(`many-${index}`, own)
    return own
  })
  await Promise.all(
    grants.map(async (_, index) => {
      const provider = index % 2 === 0 ? 'anthropic' : 'openai'
      const script = [
        { say: `${index} `.repeat(200), chunks: 50, chunkMs: 2, usage: { ...usage, output: index + 1 } },
      ]
      const answer = await play(provider, script, { token: `many-${index}` })
      await answer.text()
    }),
  )
  for (const [index, own] of grants.entries()) {
    expect(own.usages).toMatchObject([{ ...counts, outputTokens: index + 1, isComplete: true }])
    await world.gateway.close(`many-${index}`)
  }
})

import { MODEL_PROVIDERS } from '@skein/contract'
import { startSimulator, type Simulator } from '@skein/simulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProviderName } from '../../src/gateway/provider.ts'
import { PROVIDER_KEYS, recordGrant, startGateway } from './gateway-world.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(() => simulator.close())

interface Case {
  readonly provider: ProviderName
  /** What the base URL has behind the host. */
  readonly prefix: string
  /** Where the key is sent. */
  readonly header: string
}

const claude: Case = { provider: 'anthropic', prefix: '', header: 'x-api-key' }
const codex: Case = { provider: 'openai', prefix: '', header: 'authorization' }

/** How the gateway speaks to each provider that the table says works; a new row needs its case here. */
const CASES: Readonly<Record<string, Case>> = {
  'Anthropic API key': claude,
  'OpenAI API key': codex,
  'Anthropic-compatible URL': { ...claude, prefix: '/proxy/anthropic' },
  'OpenAI-compatible URL': { ...codex, prefix: '/proxy/openai' },
  'Azure OpenAI': { ...codex, prefix: '/openai' },
}

test('each provider that the table says works has a case here, and no other', () => {
  const working = MODEL_PROVIDERS.filter(({ backends }) => backends !== '').map(({ name }) => name)
  expect(working).toEqual(Object.keys(CASES))
})

test.each(Object.entries(CASES))(
  '%s: the gateway sends the call there, with the key',
  async (_name, each) => {
    const { provider, prefix, header } = each
    const world = await startGateway(`${simulator.url}${prefix}`)
    world.gateway.open('agent-token', recordGrant())
    const body =
      provider === 'anthropic'
        ? { max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }
        : { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] }
    expect((await world.ask(provider, { body })).status).toBe(200)
    const seen = simulator.requests.at(-1)
    expect(seen?.path).toMatch(new RegExp(`^${prefix}/v1/(messages|responses)`))
    expect(seen?.headers[header]).toContain(PROVIDER_KEYS[provider])
    await world.close()
  },
)

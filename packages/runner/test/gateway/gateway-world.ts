import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Front } from '../../src/front/front.ts'
import { anthropicBaseUrl, gatewayUrl, openaiBaseUrl } from '../../src/gateway/base-urls.ts'
import type { ModelPolicy } from '../../src/gateway/check/policy.ts'
import type { CallUsage, ModelGrant, ProviderLimit } from '../../src/gateway/grant.ts'
import { ModelGateway } from '../../src/gateway/model-gateway.ts'
import type { ProviderName } from '../../src/gateway/provider.ts'
import type { UpstreamTimeouts } from '../../src/gateway/upstream.ts'

export const PROVIDER_KEYS = { anthropic: 'sk-ant-of-the-provider', openai: 'sk-oai-of-the-provider' }

const PRICES = [
  { model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  { model: '*', input: 1.25, cachedInput: 0.125, cacheWrite: 0, output: 10 },
]

/** What a program asks for, and the model it asks. */
export const PROGRAMS = {
  anthropic: { path: '/v1/messages?beta=true', model: 'claude-sonnet-5' },
  openai: { path: '/responses', model: 'gpt-5.5' },
} as const

/** Every model, and nothing that reaches out. */
export const OPEN_MODELS: ModelPolicy = {
  models: ['*'],
  providerTools: [],
  betas: [],
  serviceTier: '',
  fastMode: false,
}

export interface RecordedGrant extends ModelGrant {
  readonly usages: CallUsage[]
  readonly limits: ProviderLimit[]
  readonly estimates: number[]
}

export function recordGrant(overrides: Partial<ModelGrant> = {}): RecordedGrant {
  const usages: CallUsage[] = []
  const limits: ProviderLimit[] = []
  const estimates: number[] = []
  return {
    usages,
    limits,
    estimates,
    prices: PRICES,
    leastPrices: [],
    toolPrices: [],
    policy: OPEN_MODELS,
    authorize: async (estimateUsd) => {
      if (estimateUsd !== undefined) estimates.push(estimateUsd)
      return { isAllowed: true, message: '' }
    },
    onUsage: (usage) => void usages.push(usage),
    onLimit: (limit) => void limits.push(limit),
    ...overrides,
  }
}

export interface GatewayWorld {
  readonly gateway: ModelGateway
  readonly urls: Readonly<Record<ProviderName, string>>
  /** Asks as the provider's program would. */
  ask(provider: ProviderName, options?: AskOptions): Promise<Response>
  close(): Promise<void>
}

export interface AskOptions {
  readonly token?: string
  readonly path?: string
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A front with a gateway to one upstream that stands for both providers. */
export async function startGateway(
  upstreamUrl: string,
  names: readonly ProviderName[] = ['anthropic', 'openai'],
  timeouts: Partial<UpstreamTimeouts> = {},
): Promise<GatewayWorld> {
  const providers = {
    anthropic: { url: upstreamUrl, apiKey: PROVIDER_KEYS.anthropic },
    openai: { url: `${upstreamUrl}/v1`, apiKey: PROVIDER_KEYS.openai },
  }
  const gateway = new ModelGateway({
    providers: Object.fromEntries(names.map((name) => [name, providers[name]])),
    now: Date.now,
    bodyBytes: 128 * 1024 * 1024,
    timeouts,
  })
  const front = new Front({ model: gateway })
  const address = await front.listen()
  const url = gatewayUrl(address)
  const urls = { anthropic: anthropicBaseUrl(url), openai: openaiBaseUrl(url) }
  return {
    gateway,
    urls,
    ask(provider, { token = 'agent-token', path, method = 'POST', body, headers, signal } = {}) {
      const program = PROGRAMS[provider]
      return fetch(`${urls[provider]}${path ?? program.path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(provider === 'anthropic' ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(method === 'POST' && { body: JSON.stringify({ model: program.model, stream: true, ...body }) }),
        ...(signal && { signal }),
      })
    },
    async close() {
      await front.close()
      await gateway.stop()
    },
  }
}

export interface Upstream {
  readonly url: string
  close(): Promise<void>
}

/** A provider made by hand, for what the simulator is too well-behaved to do. */
export async function startUpstream(listener: RequestListener): Promise<Upstream> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

import type { IncomingMessage } from 'node:http'
import type { Provider } from './provider.ts'
import { sendUpstream, UPSTREAM_TIMEOUTS } from './upstream.ts'

/** A provider's URL and the runner's own key; empty if tenants bring theirs. */
export interface Upstream {
  /** Without a trailing `/v1` and slash. */
  readonly base: string
  readonly apiKey: string
}

const CHECK_TIMEOUT_MS = 5_000
const REFUSED = new Set([401, 403])

export function readUpstream({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Upstream {
  return { base: new URL(url).href.replace(/\/+$/, '').replace(/\/v1$/, ''), apiKey }
}

/**
 * Asks for the provider's models, which is free. Empty if the key is accepted, or if the provider has no such list:
 * not every compatible one does.
 */
export async function findKeyProblem(provider: Provider, { base, apiKey }: Upstream): Promise<string> {
  const { host } = new URL(base)
  try {
    const answer = await askForModels(provider, { base, apiKey })
    answer.destroy()
    if (!REFUSED.has(answer.statusCode ?? 0)) return ''
    return `${provider.keyVariable} was rejected by ${host} (${answer.statusCode}). Set a valid key and restart the runner.`
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return `${host} cannot be reached${code}, so ${provider.keyVariable} could not be tested.`
  }
}

function askForModels(provider: Provider, { base, apiKey }: Upstream): Promise<IncomingMessage> {
  return sendUpstream({
    url: new URL(`${base}/v1/models`),
    method: 'GET',
    headers: { ...provider.authorization(apiKey), ...provider.headers },
    body: Buffer.alloc(0),
    onSent: () => undefined,
    signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    timeouts: UPSTREAM_TIMEOUTS,
  })
}

import { createRandomId } from './call/build-request.ts'
import { retryDelayMs } from './call/retry-policy.ts'
import { DEFAULT_RETRIES, readBaseUrl } from './call/send-call.ts'
import { pause } from './call/time-limit.ts'
import { tryOnce, type PreparedRequest } from './call/try-once.ts'

/** Renewed this long before it expires, so that a request on its way does not come too late. */
const EARLY_MS = 60_000
const TIMEOUT_MS = 30_000

/**
 * Which workload identity to use, and where the platform's token comes from.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import type { WorkloadOptions } from '@skein/client'
 *
 * const options: WorkloadOptions = {
 *   baseUrl: 'https://skein.example.com',
 *   identity: 'codehost_app:acme/release-job',
 *   readToken: () => readFile('/var/run/secrets/skein/token', 'utf8'),
 * }
 */
export interface WorkloadOptions {
  readonly baseUrl: string
  /** Tenant and name of the workload identity: `codehost_app:acme/release-job`. */
  readonly identity: string
  /** The token of the platform. Asked for each time a new key is needed. */
  readonly readToken: () => string | Promise<string>
  readonly fetch?: typeof fetch | undefined
}

/**
 * For programs whose platform gives them a token, such as CI jobs: exchanges it for keys of 15 minutes, when one is
 * needed. Pass the result as `apiKey`.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { Skein, workloadKey } from '@skein/client'
 *
 * const baseUrl = 'https://skein.example.com'
 * const readToken = () => readFile('/var/run/secrets/skein/token', 'utf8')
 * const job = new Skein({ baseUrl, apiKey: workloadKey({ baseUrl, identity: 'codehost_app:acme/release-job', readToken }) })
 * console.log(await job.whoami())
 */
export function workloadKey(options: WorkloadOptions): () => Promise<string> {
  let known: { readonly key: string; readonly untilMs: number } | undefined
  let exchange: Promise<string> | undefined
  return async () => {
    if (known && Date.now() < known.untilMs) return known.key
    exchange ??= renew().finally(() => (exchange = undefined))
    return exchange
  }

  async function renew(): Promise<string> {
    const askedMs = Date.now()
    const { access_token: key, expires_in: seconds } = await exchangeToken(options)
    known = { key, untilMs: askedMs + seconds * 1000 - EARLY_MS }
    return key
  }
}

interface ExchangedKey {
  readonly access_token: string
  readonly expires_in: number
}

async function exchangeToken(options: WorkloadOptions): Promise<ExchangedKey> {
  const request = await prepare(options)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(request, {
      send: options.fetch ?? globalThis.fetch,
      now: Date.now,
      signal: undefined,
    })
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers against the same schema
    if ('body' in outcome) return outcome.body as ExchangedKey
    const delayMs = retryDelayMs(outcome.error, { attempt, isRepeatable: true, random: Math.random })
    if (delayMs === undefined || attempt > DEFAULT_RETRIES) throw outcome.error
    await pause(delayMs, undefined)
  }
}

async function prepare({ baseUrl, identity, readToken }: WorkloadOptions): Promise<PreparedRequest> {
  const [, tenant, name] = /^([^/]+)\/([^/]+)$/.exec(identity) ?? []
  if (tenant === undefined || name === undefined) {
    throw new TypeError('identity must be a tenant and a name, such as codehost_app:acme/release-job')
  }
  const requestId = createRandomId()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-request-id': requestId }
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: (await readToken()).trim(),
  })
  return {
    name: 'exchangeToken',
    url: `${readBaseUrl(baseUrl)}/v1/token/${encodeURIComponent(tenant)}/${encodeURIComponent(name)}`,
    method: 'POST',
    headers: new Headers(headers),
    body: body.toString(),
    requestId,
    timeoutMs: TIMEOUT_MS,
  }
}

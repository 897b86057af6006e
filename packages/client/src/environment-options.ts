import type { SenderOptions } from './call/send-call.ts'

/**
 * Where the service is, who is calling, and the timeouts and retries. All optional if the environment has
 * `SKEIN_URL` and `SKEIN_API_KEY`.
 *
 * @example
 * import { Skein, type SkeinOptions } from '@skein/client'
 *
 * const options: SkeinOptions = { timeoutMs: 10_000, retries: 6, userAgent: 'nightly/1.0' }
 * const client = new Skein(options)
 */
export type SkeinOptions = Omit<SenderOptions, 'baseUrl'> & {
  /** The service's base URL, including any path prefix of a proxy. Default: `SKEIN_URL`. */
  readonly baseUrl?: string | undefined
}

/**
 * Without a `baseUrl`, URL and key come from `SKEIN_URL` and `SKEIN_API_KEY`. The environment's key belongs to the
 * environment's URL: it is never sent to another address.
 */
export function readOptions(options: SkeinOptions): SenderOptions {
  const { baseUrl, apiKey } = options
  if (baseUrl !== undefined) return { ...options, baseUrl }
  const url = variable('SKEIN_URL')
  const key = apiKey ?? variable('SKEIN_API_KEY')
  if (url === undefined) throw new TypeError('Pass baseUrl, or set SKEIN_URL.')
  if (key === undefined) throw new TypeError('Pass apiKey, or set SKEIN_API_KEY.')
  return { ...options, baseUrl: url, apiKey: key }
}

/** A browser has no environment. */
function variable(name: string): string | undefined {
  const value = fieldOf(fieldOf(fieldOf(globalThis, 'process'), 'env'), name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

import type { SenderOptions } from './call/send-call.ts'

/**
 * Where the service is, who is calling, and how patiently. All of it can be left out where the environment has
 * `SKEIN_URL` and `SKEIN_API_KEY`.
 *
 * @example
 * import { Skein, type SkeinOptions } from '@skein/client'
 *
 * const options: SkeinOptions = { timeoutMs: 10_000, retries: 6, userAgent: 'nightly/1.0' }
 * const client = new Skein(options)
 */
export type SkeinOptions = Omit<SenderOptions, 'baseUrl'> & {
  /** Of the service, with the path below which a proxy serves it; `SKEIN_URL` when left out. */
  readonly baseUrl?: string | undefined
}

/**
 * Without a `baseUrl` the service and the key are those of `SKEIN_URL` and `SKEIN_API_KEY`. The key of the environment
 * belongs to the URL of the environment: it is never sent to an address that the program names.
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

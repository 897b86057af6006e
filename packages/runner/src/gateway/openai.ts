import { asCount, asObject, asText, type JsonObject } from './json.ts'
import type { Provider, RawCounts, UsageReading } from './provider.ts'

const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  402: 'budget_exceeded',
  404: 'not_found',
  413: 'request_too_large',
}

/** The Responses API. Codex asks a custom provider for nothing else, not even for its models. */
export const openai: Provider = {
  name: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  headers: {},
  routes: [{ method: 'POST', path: '/v1/responses', isPaid: true }],
  queries: [],
  authorization: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  describeError: (status, message) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      code: ERROR_CODES[status] ?? null,
      param: null,
    },
  }),
  readUsage,
}

const FINAL_EVENTS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])

function readUsage(event: JsonObject): UsageReading {
  const { type, delta } = event
  if (FINAL_EVENTS.has(type)) return readResponse(asObject(event['response']))
  if (event['object'] === 'response') return readResponse(event)
  if (type === 'error') return { error: readError(asObject(event['error'] ?? event)) }
  // Text, reasoning and arguments all arrive as deltas.
  return typeof delta === 'string' ? { characters: delta.length } : {}
}

function readResponse(response: JsonObject): UsageReading {
  const usage = response['usage']
  const hasFailed = response['status'] === 'failed'
  return {
    // Failures without usage are not billed.
    ...(usage || hasFailed
      ? { counts: { ...readCounts(asObject(usage)), ...countSearches(response['output']) }, isFinal: true }
      : {}),
    ...(hasFailed && { error: readError(asObject(response['error'])) }),
  }
}

/** Not in the usage, but in the output. */
function countSearches(output: unknown): Pick<RawCounts, 'toolUses'> {
  const items = Array.isArray(output) ? output.map(asObject) : []
  const searches = items.filter(({ type }) => type === 'web_search_call').length
  return searches > 0 ? { toolUses: { 'web-search': searches } } : {}
}

function readError({ code, type, message }: JsonObject): { code: string; message: string } {
  return { code: asText(code) || asText(type), message: asText(message) }
}

/** Input includes cache reads and writes. */
function readCounts(usage: JsonObject): RawCounts {
  const details = asObject(usage['input_tokens_details'])
  const cacheRead = asCount(details['cached_tokens']) ?? 0
  const cacheWrite = asCount(details['cache_write_tokens']) ?? 0
  const input = asCount(usage['input_tokens']) ?? 0
  return {
    uncached: Math.max(0, input - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: asCount(usage['output_tokens']) ?? 0,
  }
}

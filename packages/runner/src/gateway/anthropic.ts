import { asCount, asObject, asText, type JsonObject } from './json.ts'
import type { Provider, RawCounts, UsageReading } from './provider.ts'

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  413: 'request_too_large',
}

/** The Messages API. */
export const anthropic: Provider = {
  name: 'anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  headers: { 'anthropic-version': '2023-06-01' },
  routes: [
    { method: 'POST', path: '/v1/messages', isPaid: true },
    { method: 'POST', path: '/v1/messages/count_tokens', isPaid: false },
  ],
  queries: ['?beta=true'],
  authorization: (apiKey) => ({ 'x-api-key': apiKey }),
  describeError: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
  }),
  readUsage,
}

function readUsage(event: JsonObject): UsageReading {
  switch (event['type']) {
    case 'message_start':
      return { counts: readCounts(asObject(asObject(event['message'])['usage'])) }
    case 'message_delta':
      return {
        counts: readCounts(asObject(event['usage'])),
        isFinal: typeof asObject(event['delta'])['stop_reason'] === 'string',
      }
    case 'content_block_delta': {
      const { text, thinking, partial_json: json } = asObject(event['delta'])
      return { characters: asText(text).length + asText(thinking).length + asText(json).length }
    }
    case 'message':
      return { counts: readCounts(asObject(event['usage'])), isFinal: event['usage'] !== undefined }
    case 'error': {
      const { type, message } = asObject(event['error'])
      return { error: { code: asText(type), message: asText(message) } }
    }
    default:
      return {}
  }
}

/** Excludes cached input. Null means that this event doesn't report the count. */
function readCounts(usage: JsonObject): Partial<RawCounts> {
  const extra = extraIterations(usage['iterations'])
  const total = (name: string): number | undefined => {
    const count = asCount(usage[name])
    return count === undefined
      ? undefined
      : extra.reduce((sum, each) => sum + (asCount(each[name]) ?? 0), count)
  }
  const [uncached, cacheRead] = [total('input_tokens'), total('cache_read_input_tokens')]
  const [cacheWrite, output] = [total('cache_creation_input_tokens'), total('output_tokens')]
  return {
    ...(uncached !== undefined && { uncached }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...readToolUses(asObject(usage['server_tool_use'])),
  }
}

function readToolUses(used: JsonObject): Pick<RawCounts, 'toolUses'> {
  const [searches, fetches] = [asCount(used['web_search_requests']), asCount(used['web_fetch_requests'])]
  if (searches === undefined && fetches === undefined) return {}
  return { toolUses: { 'web-search': searches ?? 0, 'web-fetch': fetches ?? 0 } }
}

/** Additional work by the provider, which is billed but not included in the totals. */
function extraIterations(iterations: unknown): JsonObject[] {
  if (!Array.isArray(iterations)) return []
  return iterations.map(asObject).filter(({ type }) => type === 'compaction' || type === 'advisor_message')
}

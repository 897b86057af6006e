import type { IncomingHttpHeaders } from 'node:http'

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Of the request: who asks and on whose account is ours to say, and we make its other ends ourselves. */
const NOT_SENT_ON = new Set([
  ...HOP_BY_HOP,
  'accept-encoding',
  'authorization',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'openai-organization',
  'openai-project',
  'x-api-key',
  'x-forwarded-for',
])

/** Of the answer: the body may be changed on its way, and the account is none of the agent's business. */
const NOT_PASSED_BACK = new Set([
  ...HOP_BY_HOP,
  'anthropic-organization-id',
  'content-encoding',
  'content-length',
  'location',
  'openai-organization',
  'openai-project',
  'set-cookie',
  'www-authenticate',
])

export function headersToSend(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  // A compressed answer could not be metered before it is unpacked.
  return { ...keep(headers, NOT_SENT_ON), 'accept-encoding': 'identity' }
}

export function headersToPassBack(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return keep(headers, NOT_PASSED_BACK)
}

/** What the Connection header names holds for one hop only. */
function keep(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !dropped.has(name) && !named.has(name)) kept[name] = value
  }
  return kept
}

/** The token of the agent, as either program sends it. */
export function readToken(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key']
  return typeof key === 'string' ? key : /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

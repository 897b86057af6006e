const PREFIXES = ['webhook-', 'content-', 'proxy-', 'sec-']
const NAMES: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Headers that the service sets, or that say how a request is framed or routed. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix))
}

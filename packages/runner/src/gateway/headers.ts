import type { IncomingHttpHeaders } from 'node:http'
import type { ModelPolicy } from './check/policy.ts'

/** Request headers a provider needs. Credentials and account are set by us. */
const SENT_ON = [
  'accept',
  'anthropic-version',
  'content-type',
  'originator',
  'session-id',
  'user-agent',
  // Tells how newer Codex models get their tools.
  'x-openai-internal-codex-responses-lite',
]

/** Response headers that programs act on. Anything about the account is withheld from the agent. */
const PASSED_BACK =
  /^(?:content-type|(?:x-)?request-id|retry-after(?:-ms)?|x-should-retry|(?:anthropic|x)-ratelimit-[a-z-]+|openai-(?:model|processing-ms)|x-reasoning-included)$/

/** Betas the programs always request, which only affect the conversation. */
const KNOWN_BETAS: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mid-conversation-system-2026-04-07',
  'mid-conversation-tool-changes-2026-07-01',
  'per-turn-control-2026-07-01',
  'redact-thinking-2026-02-12',
  'structured-outputs-2025-12-15',
  'task-budgets-2026-03-13',
  'thinking-display-updates-2026-08-18',
  'thinking-token-count-2026-05-13',
  'token-counting-2024-11-01',
])
const FAST_MODE_BETA = 'fast-mode-2026-02-01'

export function headersToSend(headers: IncomingHttpHeaders, policy: ModelPolicy): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of SENT_ON) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value
  }
  const betas = allowedBetas(headers['anthropic-beta'], policy)
  if (betas.length > 0) kept['anthropic-beta'] = betas.join(',')
  // A compressed response could not be metered without unpacking it.
  return { ...kept, 'accept-encoding': 'identity' }
}

/**
 * Drops all others: the provider rejects requests that need them, and a program that merely offers them continues to
 * work.
 */
function allowedBetas(header: string | string[] | undefined, policy: ModelPolicy): string[] {
  const asked = String(header ?? '')
    .split(',')
    .map((beta) => beta.trim())
  return asked.filter(
    (beta) =>
      KNOWN_BETAS.has(beta) || policy.betas.includes(beta) || (policy.fastMode && beta === FAST_MODE_BETA),
  )
}

export function headersToPassBack(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && PASSED_BACK.test(name)) kept[name] = value
  }
  return kept
}

/** The agent's token, as either program sends it. */
export function readToken(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key']
  return typeof key === 'string' ? key : /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

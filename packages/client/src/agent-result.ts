import * as facts from '@skein/contract/facts'
import { formatAgentName } from './agent-name.ts'
import type { AgentEntry, AgentStatus, Phase, WaitForAgentResponse } from './generated/types.ts'

/**
 * The short name of an agent's phase.
 *
 * @example
 * import { phaseName, type PhaseName } from '@skein/client'
 *
 * const phase: PhaseName = phaseName((await agent.status()).phase)
 */
export type PhaseName = facts.PhaseName | 'unknown'

/**
 * Returns the short name of a phase.
 *
 * @example
 * import { phaseName } from '@skein/client'
 *
 * for await (const { agentId, phase } of skein.agents()) console.log(skein.agent(agentId).name, phaseName(phase))
 */
export function phaseName(phase: Phase): PhaseName {
  return facts.phaseName(phase)
}

/**
 * Tokens as numbers. The wire has them as text, because JSON has no 64-bit numbers.
 *
 * @example
 * import { tokensOf } from '@skein/client'
 *
 * const { total } = tokensOf(await agent.status())
 */
export interface Tokens {
  readonly input: number
  /** Input tokens that came from the provider's cache. */
  readonly cachedInput: number
  readonly output: number
  readonly total: number
}

/**
 * The tokens an agent has used.
 *
 * @example
 * import { tokensOf } from '@skein/client'
 *
 * for await (const entry of skein.agents()) console.log(tokensOf(entry).total)
 */
export function tokensOf(
  entry: Pick<AgentEntry, 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'totalTokens'>,
): Tokens {
  return {
    input: Number(entry.inputTokens),
    cachedInput: Number(entry.cachedInputTokens),
    output: Number(entry.outputTokens),
    total: Number(entry.totalTokens),
  }
}

/**
 * How an agent ended or came to rest, in a form convenient for programs.
 *
 * @example
 * const { outcome, message, question, cost, tokens } = await agent.result()
 */
export interface AgentResult<Output = unknown> {
  readonly name: string
  /** `timeout`: the wait timed out. `waiting`: it needs someone, see `question`. */
  readonly outcome: 'completed' | 'failed' | 'canceled' | 'waiting' | 'timeout'
  /** The agent's last message. */
  readonly message: string
  /** Its question; empty if there is none. */
  readonly question: string
  /** Its answer according to `outputSchema`; undefined without one. */
  readonly output: Output | undefined
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined
  /** In US dollars. */
  readonly cost: number
  readonly tokens: Tokens
  /** The complete status from the API. */
  readonly status: AgentStatus
}

const OUTCOMES = {
  WAIT_REASON_UNSPECIFIED: 'timeout',
  WAIT_REASON_COMPLETED: 'completed',
  WAIT_REASON_FAILED: 'failed',
  WAIT_REASON_CANCELED: 'canceled',
  WAIT_REASON_WAITING: 'waiting',
} as const

export function toResult<Output>({ reason, status }: WaitForAgentResponse): AgentResult<Output> {
  const { code, message } = status.error
  return {
    name: formatAgentName(status.agentId),
    outcome: OUTCOMES[reason],
    message: status.lastMessage,
    question: status.needsInput,
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the runner has checked it against the schema
    output: status.output === '' ? undefined : (JSON.parse(status.output) as Output),
    error: code === '' ? undefined : { code, message },
    cost: status.cost,
    tokens: tokensOf(status),
    status,
  }
}

import * as facts from '@skein/contract/facts'
import { formatAgentName } from './agent-name.ts'
import type { AgentEntry, AgentStatus, Phase, WaitForAgentResponse } from './generated/types.ts'

/**
 * Where an agent is in its life, in a word.
 *
 * @example
 * import { phaseName, type PhaseName } from '@skein/client'
 *
 * const phase: PhaseName = phaseName((await agent.status()).phase)
 */
export type PhaseName = facts.PhaseName | 'unknown'

/**
 * The word for a phase of the wire.
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
  /** Those of the input that came from the provider's cache. */
  readonly cachedInput: number
  readonly output: number
  readonly total: number
}

/**
 * What an agent has used.
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
 * How an agent came to rest, as a program wants to know it.
 *
 * @example
 * const { outcome, message, question, cost, tokens } = await agent.result()
 */
export interface AgentResult<Output = unknown> {
  readonly name: string
  /** `timeout`: the time was over first. `waiting`: it needs someone, see `question`. */
  readonly outcome: 'completed' | 'failed' | 'canceled' | 'waiting' | 'timeout'
  /** What the agent said last. */
  readonly message: string
  /** What it asks; empty when it asks nothing. */
  readonly question: string
  /** What it answered under its `outputSchema`; undefined without one. */
  readonly output: Output | undefined
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined
  /** In US dollars. */
  readonly cost: number
  readonly tokens: Tokens
  /** Everything else, as the wire has it. */
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

import type { BackendDocument, ModelPrice, ProviderTool } from '@skein/contract'
import type { ModelPolicy } from './check/policy.ts'

export type Price = ModelPrice

/** US dollars for each use of a tool of the provider. */
export type ToolPrice = BackendDocument['toolPrices'][number]

/** How often the provider has used its own tools. */
export type ToolUses = Readonly<Partial<Record<ProviderTool, number>>>

/** What the holder of one token may do, and who is told of it. Neither of the two that are told may throw. */
export interface ModelGrant {
  /** The only provider that it opens; both, when absent. Prices of one are not those of the other. */
  readonly provider?: 'anthropic' | 'openai'
  /** The tenant's own key of the provider; the runner's when absent. */
  readonly apiKey?: string
  readonly prices: readonly Price[]
  /** What an operator has every model cost at least. */
  readonly leastPrices: readonly Price[]
  readonly toolPrices: readonly ToolPrice[]
  readonly policy: ModelPolicy
  /**
   * Asked before each call that costs money, with the least that it can cost; undefined for a model, or a tool of the
   * provider, without a price.
   * The message is for the agent. One call of a token is under way at a time, so none is decided on twice.
   */
  authorize(
    estimateUsd: number | undefined,
  ): Promise<{ readonly isAllowed: boolean; readonly message: string }>
  /** Once for each call that was sent on, before the program can see its last event. */
  onUsage(usage: CallUsage): void
  onLimit(limit: ProviderLimit): void
}

export interface TokenCounts {
  /** All of them, whether cached, written to a cache or neither. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly toolUses?: ToolUses
}

export interface CallUsage extends TokenCounts {
  readonly model: string
  readonly costUsd: number
  /** False where the call was cut, so that some of this is an estimate. */
  readonly isComplete: boolean
  /** The provider's; 0 when it had not answered yet. */
  readonly status: number
}

export interface ProviderLimit {
  readonly status: number
  /** The provider's word for it, such as `rate_limit_error` or `insufficient_quota`. */
  readonly code: string
  readonly message: string
  /** Absent when the provider does not say. */
  readonly retryAfterMs: number | undefined
}

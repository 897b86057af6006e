import type { Context } from '@opentelemetry/api'
import type { BackendDocument, ModelPrice, ProviderTool } from '@skein/contract'
import type { ModelPolicy } from './check/policy.ts'

export type Price = ModelPrice

/** US dollars per use of a provider tool. */
export type ToolPrice = BackendDocument['toolPrices'][number]

/** How often the provider used its own tools. */
export type ToolUses = Readonly<Partial<Record<ProviderTool, number>>>

/** What a token's holder may do, with callbacks. Neither callback may throw. */
export interface ModelGrant {
  /** The only provider it may use; both if absent. Prices differ between providers. */
  readonly provider?: 'anthropic' | 'openai'
  /** The tenant's own provider key; the runner's if absent. */
  readonly apiKey?: string
  readonly prices: readonly Price[]
  /** The operator's minimum prices. */
  readonly leastPrices: readonly Price[]
  readonly toolPrices: readonly ToolPrice[]
  readonly policy: ModelPolicy
  /** The turn's span, which calls are children of. */
  readonly traceContext?: Context
  /**
   * Called before each paid call, with its minimum cost; undefined for a model or provider tool without a price. The
   * message is for the agent. A token has only one call at a time, so the same budget isn't granted twice.
   */
  authorize(
    estimateUsd: number | undefined,
  ): Promise<{ readonly isAllowed: boolean; readonly message: string }>
  /** Called once per forwarded call, before the program can see its last event. */
  onUsage(usage: CallUsage): void
  onLimit(limit: ProviderLimit): void
}

export interface TokenCounts {
  /** All input tokens, cached or not. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly toolUses?: ToolUses
}

export interface CallUsage extends TokenCounts {
  readonly model: string
  readonly costUsd: number
  /** False if the call was cut and some of this is an estimate. */
  readonly isComplete: boolean
  /** The provider's status; 0 if it had not responded yet. */
  readonly status: number
  readonly provider: NonNullable<ModelGrant['provider']>
  /** From sending the request to the end of the response. */
  readonly durationMs: number
}

export interface ProviderLimit {
  readonly status: number
  /** The provider's error code, such as `rate_limit_error` or `insufficient_quota`. */
  readonly code: string
  readonly message: string
  /** Absent if the provider doesn't say. */
  readonly retryAfterMs: number | undefined
}

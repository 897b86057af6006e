import type { ToolUses } from './grant.ts'
import type { JsonObject } from './json.ts'

export type ProviderName = 'anthropic' | 'openai'

/** A provider's protocol, and how it reports usage. */
export interface Provider {
  readonly name: ProviderName
  /** The setting with the runner's own key. */
  readonly keyVariable: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'
  /** Headers for our own requests. */
  readonly headers: Readonly<Record<string, string>>
  /** Only the routes the programs need, relative to the provider's URL. */
  readonly routes: readonly ProviderRoute[]
  /** Query parameters that are passed on. All others are dropped. */
  readonly queries: readonly string[]
  authorization(apiKey: string): Readonly<Record<string, string>>
  /** Our error in the provider's format, so that the program shows its message. */
  describeError(status: number, message: string): object
  /** Reads the usage from a stream event or a whole body. */
  readUsage(event: JsonObject): UsageReading
}

export interface ProviderRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Whether the model answers. Counting tokens is free, but goes through the same gates. */
  readonly isPaid: boolean
}

export interface UsageReading {
  /** Replaces earlier values: counts within a stream are cumulative. */
  readonly counts?: Partial<RawCounts>
  /** The counts won't change anymore. */
  readonly isFinal?: boolean
  /** Characters the model wrote, for calls cut before they are counted. */
  readonly characters?: number
  /** The call failed mid-stream. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** Counts each token once. */
export interface RawCounts {
  readonly uncached: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** How often the provider used its own tools; absent if it didn't. */
  readonly toolUses?: ToolUses
}

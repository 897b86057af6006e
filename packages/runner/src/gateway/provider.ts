import type { ToolUses } from './grant.ts'
import type { JsonObject } from './json.ts'

export type ProviderName = 'anthropic' | 'openai'

/** How one provider is spoken to, and how it says what a call has used. */
export interface Provider {
  readonly name: ProviderName
  /** Where the runner's own key is set. */
  readonly keyVariable: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'
  /** What it wants with each request of our own. */
  readonly headers: Readonly<Record<string, string>>
  /** What the programs need, and nothing else: below the provider's own address. */
  readonly routes: readonly ProviderRoute[]
  /** What may follow a path; anything else is left out. */
  readonly queries: readonly string[]
  authorization(apiKey: string): Readonly<Record<string, string>>
  /** An error of ours, in the provider's words, so that the program shows its message. */
  describeError(status: number, message: string): object
  /** What an event of a stream, or a whole body, tells about usage. */
  readUsage(event: JsonObject): UsageReading
}

export interface ProviderRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Whether the model answers. What only counts costs nothing, but goes through the same gates. */
  readonly isPaid: boolean
}

export interface UsageReading {
  /** Replaces what was known before: counts within a stream are cumulative. */
  readonly counts?: Partial<RawCounts>
  /** Nothing that follows changes the counts. */
  readonly isFinal?: boolean
  /** Characters that the model wrote, for calls that are cut before they are counted. */
  readonly characters?: number
  /** The call fails in mid-stream. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** Each token once. */
export interface RawCounts {
  readonly uncached: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** How often the provider has used tools of its own; absent when it has not. */
  readonly toolUses?: ToolUses
}

import type { ProviderTool } from '@skein/contract'

/** What an agent may ask of its provider. Plain data, because requests are checked in another process. */
export interface ModelPolicy {
  /** The agent's model, and those its program uses besides it; `*` matches any characters. */
  readonly models: readonly string[]
  readonly providerTools: readonly ProviderTool[]
  /** In addition to those the programs always send, which are harmless. */
  readonly betas: readonly string[]
  /** The provider's name for the tier; empty for the default. Others have other prices. */
  readonly serviceTier: string
  readonly fastMode: boolean
}

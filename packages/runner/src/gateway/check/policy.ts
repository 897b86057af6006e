import type { ProviderTool } from '@skein/contract'

/** What an agent may ask of its provider. Plain data, because requests are checked in another thread. */
export interface ModelPolicy {
  /** The agent's own, and those that its program uses beside it; * stands for any characters. */
  readonly models: readonly string[]
  readonly providerTools: readonly ProviderTool[]
  /** Besides those that the programs send of their own accord and that reach nothing. */
  readonly betas: readonly string[]
  /** The provider's word for the tier; empty for its usual one. Others have other prices. */
  readonly serviceTier: string
  readonly fastMode: boolean
}

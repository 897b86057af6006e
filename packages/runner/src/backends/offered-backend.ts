import type { Backend } from './backend.ts'

/** A backend, and the gateway's URL for its program. */
export interface OfferedBackend {
  readonly backend: Backend
  readonly gatewayUrl: string
  /** The provider it may call; either if absent. */
  readonly provider?: 'anthropic' | 'openai'
}

import type { Backend } from './backend.ts'

/** A backend and where its program finds the model gateway. */
export interface OfferedBackend {
  readonly backend: Backend
  readonly gatewayUrl: string
  /** The provider that it may call; either, when absent. */
  readonly provider?: 'anthropic' | 'openai'
}

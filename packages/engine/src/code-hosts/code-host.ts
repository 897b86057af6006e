import type { Repository } from '@skein/core'

/** Requests to a code host: only to allowed addresses, within limits. Never follows a redirect. */
export type HostFetch = typeof fetch

export interface MintedCredential {
  /** For git over HTTP, as user:password. */
  readonly credential: string
  /** In epoch milliseconds; 0 if the host does not say. */
  readonly expiresAt: number
}

/** What we need of a code host. Each call can be repeated. Fails with a `CodeHostError`. */
export interface CodeHost {
  /** For these repositories, all of one owner, and no others if the host can limit it. */
  mintCredential(repositories: readonly Repository[]): Promise<MintedCredential>
}

/** Why a code host did not do what it was asked. People and agents may read the message. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError'
  /** Whether asking again is pointless. */
  readonly isFinal: boolean
  readonly retryAfterMs: number

  constructor(
    message: string,
    {
      isFinal,
      retryAfterMs = 0,
      cause,
    }: { readonly isFinal: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super(message, { cause })
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
  }
}

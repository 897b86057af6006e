import type { Repository } from '@skein/core'
import type { MintedCredential } from './code-host.ts'

/** What a server is to ask a code host. Stored until it is done, so that any server can continue. */
export interface HostCall {
  readonly type: 'mint-credential'
  readonly repositories: readonly Repository[]
}

/** What it answers, by the type of the call. */
export interface HostAnswers {
  readonly 'mint-credential': MintedCredential
}

/** Bound to the sealed answer. */
export function answerPlace(tenantId: string, callId: string): string {
  return `${tenantId}/code-host-call/${callId}`
}

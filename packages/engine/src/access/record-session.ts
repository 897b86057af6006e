import type { Caller } from '@skein/core'
import type { Transaction } from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'
import type { RequestOrigin } from './request-origin.ts'

interface SessionChange extends RequestOrigin {
  readonly caller: Caller
  readonly operation:
    | 'signIn'
    | 'signOut'
    | 'endSession'
    | 'createSignInLink'
    | 'confirmLogin'
    | 'refuseLogin'
    | 'refuseRenewal'
  /** The session or link; `*` for all sessions of the token. */
  readonly name: string
  readonly at: number
}

/** Written to the tenant's audit in the same transaction. */
export async function recordSession(
  transaction: Transaction,
  { caller, requestId, address, operation, name, at }: SessionChange,
): Promise<void> {
  await recordAudit(transaction, { caller, requestId, address }, { operation, kind: 'session', name, at })
}

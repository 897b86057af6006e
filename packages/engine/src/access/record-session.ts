import type { Caller } from '@skein/core'
import type { Transaction } from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'

interface SessionChange {
  readonly caller: Caller
  readonly requestId: string
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
  { caller, requestId, operation, name, at }: SessionChange,
): Promise<void> {
  await recordAudit(transaction, { caller, requestId }, { operation, kind: 'session', name, at })
}

import type { Caller } from '@skein/core'
import { AuditStore, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'

interface SessionChange {
  readonly caller: Caller
  readonly requestId: string
  readonly operation: 'signIn' | 'signOut' | 'endSession' | 'createSignInLink'
  /** The session or link; `*` for all sessions of the token. */
  readonly name: string
  readonly at: number
}

/** Written to the tenant's audit in the same transaction. */
export async function recordSession(
  transaction: Transaction,
  { caller, requestId, operation, name, at }: SessionChange,
): Promise<void> {
  const { ownerProvider, account, role, token } = caller
  await new AuditStore(transaction).add({
    id: uuidV7(),
    at,
    operation,
    kind: 'session',
    name,
    generation: 0n,
    ownerProvider,
    account,
    role,
    token,
    justification: '',
    requestId,
  })
}

import type { Caller } from '@skein/core'
import { AuditStore, type AuditRecord, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'

/** What was done. Who did it comes from the caller. */
type Deed = Pick<AuditRecord, 'operation' | 'kind' | 'name' | 'at'> &
  Partial<Pick<AuditRecord, 'generation' | 'justification'>>

interface Request {
  readonly caller: Caller
  readonly requestId: string
  readonly address?: string | undefined
}

/** Adds an entry to the tenant's audit log, in the transaction of the change itself. */
export async function recordAudit(
  transaction: Transaction,
  { caller, requestId, address = '' }: Request,
  { operation, kind, name, at, generation = 0n, justification = '' }: Deed,
): Promise<void> {
  const { ownerProvider, account, role, token } = caller
  await new AuditStore(transaction).add({
    id: uuidV7(),
    at,
    operation,
    kind,
    name,
    generation,
    ownerProvider,
    account,
    role,
    token,
    justification,
    requestId,
    address,
  })
}

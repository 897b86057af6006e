import type { Caller } from '@skein/core'
import { AuditStore, type AuditRecord, type Transaction } from '@skein/store'
import { newId } from '../new-id.ts'

/** What was done. Who did it comes from the caller. */
type Deed = Pick<AuditRecord, 'operation' | 'kind' | 'name' | 'at'> &
  Partial<Pick<AuditRecord, 'generation' | 'justification'>>

interface Request {
  readonly caller: Caller
  readonly requestId: string
  readonly address?: string | undefined
}

/** Who did it, and from where. */
export function auditedBy({ caller, requestId, address = '' }: Request) {
  const { ownerProvider, account, role, token } = caller
  return { ownerProvider, account, role, token, requestId, address }
}

/** Adds an entry to the tenant's audit log, in the transaction of the change itself. */
export async function recordAudit(
  transaction: Transaction,
  request: Request,
  { operation, kind, name, at, generation = 0n, justification = '' }: Deed,
): Promise<void> {
  await new AuditStore(transaction).add({
    id: newId(),
    at,
    operation,
    kind,
    name,
    generation,
    justification,
    ...auditedBy(request),
  })
}

import type { Document, ResourceRef } from '@skein/core'
import {
  AuditStore,
  CatalogStore,
  type ResourceRecord,
  type Transaction,
  type VersionAction,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { CommandContext } from '../commands/command.ts'

interface RecordedChange extends ResourceRef {
  readonly operation: string
  readonly action: VersionAction
  readonly generation: bigint
  readonly document: Document
  readonly references: readonly ResourceRef[]
  readonly justification: string
  readonly at: number
}

/** Writes the new state, its history entry and the audit entry, all or nothing. */
export async function recordChange(
  transaction: Transaction,
  { caller, requestId }: CommandContext,
  change: RecordedChange,
): Promise<ResourceRecord> {
  const record = await new CatalogStore(transaction).save({ ...change, by: caller.account })
  await new AuditStore(transaction).add({
    id: uuidV7(),
    at: change.at,
    operation: change.operation,
    kind: change.kind,
    name: change.name,
    generation: change.generation,
    ownerProvider: caller.ownerProvider,
    account: caller.account,
    role: caller.role,
    token: caller.token,
    justification: change.justification,
    requestId,
  })
  return record
}

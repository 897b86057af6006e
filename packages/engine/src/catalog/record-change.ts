import type { Document, ResourceRef } from '@skein/core'
import { CatalogStore, type ResourceRecord, type Transaction, type VersionAction } from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'
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
  context: CommandContext,
  change: RecordedChange,
): Promise<ResourceRecord> {
  const { account: by, ownerProvider: byProvider } = context.caller
  const record = await new CatalogStore(transaction).save({ ...change, by, byProvider })
  await recordAudit(transaction, context, change)
  return record
}

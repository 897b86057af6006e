import type { Document } from '@skein/core'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** The tenant's own documents for a spawn, as stored. Absent ones may be built in. */
export interface SpawnDocuments {
  readonly workspace: Document | undefined
  readonly personaName: string
  readonly persona: { readonly generation: string; readonly document: Document } | undefined
  readonly backends: readonly { readonly name: string; readonly document: Document }[]
}

interface WantedDocuments {
  readonly workspace: string
  /** Empty for the workspace's. */
  readonly persona: string
  /** The persona of the built-in workspace, for tenants without their own. */
  readonly builtInPersona: string
}

const read = statement('read_spawn_catalog', 'select * from read_spawn_catalog($1, $2, $3, $4)', {
  workspace: meant<Document | null>('json?'),
  persona_name: 'text',
  persona_generation: 'bigint?',
  persona: meant<Document | null>('json?'),
  backends: meant<{ name: string; document: Document }[] | null>('json?'),
})

/** Binds itself to the tenant. */
export async function readSpawnDocuments(
  transaction: Transaction,
  tenantId: string,
  { workspace, persona, builtInPersona }: WantedDocuments,
): Promise<SpawnDocuments> {
  const row = await transaction.row(read, [tenantId, workspace, persona, builtInPersona])
  if (!row) throw new Error('read_spawn_catalog answers a row')
  return {
    workspace: row.workspace ?? undefined,
    personaName: row.persona_name,
    persona: row.persona ? { generation: row.persona_generation ?? '0', document: row.persona } : undefined,
    backends: row.backends ?? [],
  }
}

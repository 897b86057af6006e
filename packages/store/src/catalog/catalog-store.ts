import type { Document, ResourceRef } from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

export interface ResourceRecord {
  readonly name: string
  readonly generation: bigint
  /** Absent if deleted. */
  readonly document: Document | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly updatedBy: string
}

export type VersionAction = 'created' | 'updated' | 'deleted'

export interface VersionRecord {
  readonly generation: bigint
  readonly action: VersionAction
  readonly document: Document
  readonly createdAt: number
  readonly updatedAt: number
  readonly updatedBy: string
  readonly justification: string
}

const RESOURCE = {
  name: 'text',
  generation: 'bigint',
  document: meant<Document | null>('json?'),
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  updated_by: 'text',
} as const

const REF = { kind: 'text', name: 'text' } as const

const lockExclusive = statement(
  'resource_lock_exclusive',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant() || '/' || $1 || '/' || $2, 0))`,
)

const lockShared = statement(
  'resource_lock_shared',
  `select pg_advisory_xact_lock_shared(hashtextextended(skein_current_tenant() || '/' || kind || '/' || name, 0))
   from unnest($1::text[], $2::text[]) as wanted(kind, name) order by kind, name`,
)

const find = statement(
  'resource_find',
  `select name, generation, document, created_at, updated_at, updated_by from resource
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2`,
  RESOURCE,
)

const listAfter = statement(
  'resource_list_after',
  `select name, generation, document, created_at, updated_at, updated_by from resource
   where tenant_id = skein_current_tenant() and kind = $1 and name > $2 and document is not null
   order by name limit $3`,
  RESOURCE,
)

const existing = statement(
  'resource_existing',
  `select r.kind, r.name from resource r
   join unnest($1::text[], $2::text[]) as wanted(kind, name) using (kind, name)
   where r.tenant_id = skein_current_tenant() and r.document is not null`,
  REF,
)

/** One by one: a join could be planned as a walk through all resources of the tenant. */
const generations = statement(
  'resource_generations',
  `select string_agg(r.generation::text, ',' order by w.position) as version
   from unnest($1::text[], $2::text[]) with ordinality as w(kind, name, position), lateral (
     select coalesce((select o.generation from resource o
       where o.tenant_id = skein_current_tenant() and o.kind = w.kind and o.name = w.name), 0) as generation) as r`,
  { version: 'text?' },
)

const put = statement(
  'resource_put',
  `insert into resource (tenant_id, kind, name, generation, document, created_at, updated_at, updated_by,
     updated_by_provider)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $5, $6, $7)
   on conflict (tenant_id, kind, name) do update set
     generation = excluded.generation,
     document = excluded.document,
     created_at = case when resource.document is null then excluded.created_at else resource.created_at end,
     updated_at = excluded.updated_at,
     updated_by = excluded.updated_by,
     updated_by_provider = excluded.updated_by_provider
   returning name, generation, document, created_at, updated_at, updated_by`,
  RESOURCE,
)

const addVersion = statement(
  'resource_version_add',
  `insert into resource_version
     (tenant_id, kind, name, generation, action, document, created_at, updated_at, updated_by, justification,
      updated_by_provider)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

const listVersionsBefore = statement(
  'resource_version_list_before',
  `select generation, action, document, created_at, updated_at, updated_by, justification from resource_version
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2 and ($3::bigint is null or generation < $3)
   order by generation desc limit $4`,
  {
    generation: 'bigint',
    action: meant<VersionAction>('text'),
    document: meant<Document>('json'),
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    updated_by: 'text',
    justification: 'text',
  },
)

const findVersion = statement(
  'resource_version_find',
  `select document from resource_version
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2 and generation = $3`,
  { document: meant<Document>('json') },
)

const dropReferences = statement(
  'resource_reference_drop',
  `delete from resource_reference where tenant_id = skein_current_tenant() and from_kind = $1 and from_name = $2`,
)

const addReferences = statement(
  'resource_reference_add',
  `insert into resource_reference (tenant_id, from_kind, from_name, to_kind, to_name)
   select distinct skein_current_tenant(), $1, $2, kind, name from unnest($3::text[], $4::text[]) as target(kind, name)`,
)

const listReferrers = statement(
  'resource_reference_referrers',
  `select from_kind as kind, from_name as name from resource_reference
   where tenant_id = skein_current_tenant() and to_kind = $1 and to_name = $2
   order by from_kind, from_name limit 100`,
  REF,
)

export interface Change {
  readonly kind: string
  readonly name: string
  readonly generation: bigint
  readonly action: VersionAction
  readonly document: Document
  readonly references: readonly ResourceRef[]
  readonly at: number
  readonly by: string
  /** The provider of that account. */
  readonly byProvider: string
  readonly justification: string
}

/** The catalog of the transaction's tenant. */
export class CatalogStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /**
   * Makes this transaction the only writer of a resource, even if it doesn't exist yet. Lock first and read in a
   * later statement: a statement that does both may read the state from before it waited (docs/adr/0002).
   */
  async lock({ kind, name }: ResourceRef): Promise<void> {
    await this.#transaction.execute(lockExclusive, [kind, name])
  }

  /** Makes this transaction the only one that counts the resources of a kind. After `lock`: this one is taken last. */
  async lockKind(kind: string): Promise<void> {
    // No resource has an empty name.
    await this.#transaction.execute(lockExclusive, [kind, ''])
  }

  /** Prevents the referenced resources from being deleted until this transaction ends. */
  async lockReferences(references: readonly ResourceRef[]): Promise<void> {
    if (references.length > 0) await this.#transaction.execute(lockShared, columns(references))
  }

  async find({ kind, name }: ResourceRef): Promise<ResourceRecord | undefined> {
    const row = await this.#transaction.row(find, [kind, name])
    return row && toRecord(row)
  }

  async listAfter(kind: string, name: string, limit: number): Promise<ResourceRecord[]> {
    const rows = await this.#transaction.rows(listAfter, [kind, name, limit])
    return rows.map(toRecord)
  }

  async existing(references: readonly ResourceRef[]): Promise<ResourceRef[]> {
    return references.length === 0 ? [] : this.#transaction.rows(existing, columns(references))
  }

  /** Differs once one of them was written or deleted. */
  async versionOf(references: readonly ResourceRef[]): Promise<string> {
    return (await this.#transaction.row(generations, columns(references)))?.version ?? ''
  }

  async save(change: Change): Promise<ResourceRecord> {
    const { kind, name, generation, action, at, by, byProvider } = change
    const document = JSON.stringify(change.document)
    const when = new Date(at)
    const kept = action === 'deleted' ? null : document
    const row = await this.#transaction.row(put, [kind, name, generation, kept, when, by, byProvider])
    if (!row) throw new Error('an upsert returns its row')
    await this.#transaction.execute(addVersion, [
      kind,
      name,
      generation,
      action,
      document,
      row.created_at,
      when,
      by,
      change.justification,
      byProvider,
    ])
    await this.#transaction.execute(dropReferences, [kind, name])
    if (change.references.length > 0) {
      await this.#transaction.execute(addReferences, [kind, name, ...columns(change.references)])
    }
    return toRecord(row)
  }

  async versionsBefore(
    { kind, name }: ResourceRef,
    generation: bigint | undefined,
    limit: number,
  ): Promise<VersionRecord[]> {
    const rows = await this.#transaction.rows(listVersionsBefore, [kind, name, generation ?? null, limit])
    return rows.map((row) => ({
      generation: BigInt(row.generation),
      action: row.action,
      document: row.document,
      createdAt: row.created_at.getTime(),
      updatedAt: row.updated_at.getTime(),
      updatedBy: row.updated_by,
      justification: row.justification,
    }))
  }

  /** The document at a given generation, whatever happened to it since. */
  async findVersion({ kind, name }: ResourceRef, generation: bigint): Promise<Document | undefined> {
    const row = await this.#transaction.row(findVersion, [kind, name, generation])
    return row?.document
  }

  async referrers({ kind, name }: ResourceRef): Promise<ResourceRef[]> {
    return this.#transaction.rows(listReferrers, [kind, name])
  }
}

function columns(references: readonly ResourceRef[]): [string[], string[]] {
  return [references.map(({ kind }) => kind), references.map(({ name }) => name)]
}

function toRecord(row: RowOf<typeof RESOURCE>): ResourceRecord {
  return {
    name: row.name,
    generation: BigInt(row.generation),
    document: row.document ?? undefined,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    updatedBy: row.updated_by,
  }
}

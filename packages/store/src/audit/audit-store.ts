import type { Transaction } from '../database/transaction.ts'
import type { RowOf } from '../database/columns.ts'
import { statement, type Statement } from '../database/statement.ts'
import { toTimestamp } from '../database/timestamp.ts'

/** What every entry says: who did what to which name, from where, and why. */
export interface AuditBasics {
  readonly id: string
  readonly operation: string
  readonly name: string
  readonly ownerProvider: string
  readonly account: string
  readonly role: string
  readonly token: string
  readonly justification: string
  readonly requestId: string
  /** Where the request came from; empty for actions of the service itself. */
  readonly address?: string
}

export interface AuditRecord extends AuditBasics {
  readonly at: number
  readonly kind: string
  readonly generation: bigint
  readonly detail?: string
  /** How often it happened since it was last recorded. */
  readonly times?: bigint
}

export type ListedAudit = Required<AuditRecord>

/** Position of an entry in the log. */
export interface AuditPlace {
  readonly at: number
  readonly id: string
}

export interface AuditFilter {
  readonly operation: string | undefined
  readonly kind: string | undefined
  readonly name: string | undefined
  readonly account: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
}

const insert = statement(
  'audit_insert',
  `insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account,
     role, token, justification, request_id, address, detail, times)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
)

export const AUDIT_FIELDS = `id, created_at, operation, kind, name, generation, owner_provider, account, role, token,
     justification, request_id, address, detail, times`

const SELECTED = `select ${AUDIT_FIELDS}
   from audit
   where tenant_id = skein_current_tenant()
     and ($1::text is null or kind = $1)
     and ($2::text is null or name = $2)
     and ($3::text is null or account = $3)
     and ($4::text is null or operation = $4)
     and created_at >= coalesce($5::timestamptz, '-infinity')
     and created_at < coalesce($6::timestamptz, 'infinity')`

export const AUDIT_COLUMNS = {
  id: 'uuid',
  created_at: 'timestamptz',
  operation: 'text',
  kind: 'text',
  name: 'text',
  generation: 'bigint',
  owner_provider: 'text',
  account: 'text',
  role: 'text',
  token: 'text',
  justification: 'text',
  request_id: 'text',
  address: 'text',
  detail: 'text',
  times: 'bigint',
} as const

type AuditRow = RowOf<typeof AUDIT_COLUMNS>

const list = statement(
  'audit_list',
  `${SELECTED}
     and (created_at, id) < (coalesce($7::timestamptz, 'infinity'), coalesce($8::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
   order by created_at desc, id desc limit $9`,
  AUDIT_COLUMNS,
)

const listOldest = statement(
  'audit_list_oldest',
  `${SELECTED}
     and (created_at, id) > (coalesce($7::timestamptz, '-infinity'), coalesce($8::uuid, '00000000-0000-0000-0000-000000000000'))
   order by created_at, id limit $9`,
  AUDIT_COLUMNS,
)

/** The audit log of the transaction's tenant. Append-only. */
export class AuditStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(entry: AuditRecord): Promise<void> {
    await this.#transaction.execute(insert, [
      entry.id,
      new Date(entry.at),
      entry.operation,
      entry.kind,
      entry.name,
      entry.generation,
      entry.ownerProvider,
      entry.account,
      entry.role,
      entry.token,
      entry.justification,
      entry.requestId,
      entry.address ?? '',
      entry.detail ?? '',
      entry.times ?? 1n,
    ])
  }

  /** Newest first, starting before the given position. */
  async list(filter: AuditFilter, before: AuditPlace | undefined, limit: number): Promise<ListedAudit[]> {
    return this.#select(list, filter, before, limit)
  }

  /** Oldest first, starting after the given position. */
  async listOldest(
    { from, until }: Pick<AuditFilter, 'from' | 'until'>,
    after: AuditPlace | undefined,
    limit: number,
  ): Promise<ListedAudit[]> {
    const filter = { operation: undefined, kind: undefined, name: undefined, account: undefined, from, until }
    return this.#select(listOldest, filter, after, limit)
  }

  async #select(
    query: Statement<AuditRow>,
    filter: AuditFilter,
    place: AuditPlace | undefined,
    limit: number,
  ): Promise<ListedAudit[]> {
    const rows = await this.#transaction.rows(query, [
      filter.kind ?? null,
      filter.name ?? null,
      filter.account ?? null,
      filter.operation ?? null,
      toTimestamp(filter.from),
      toTimestamp(filter.until),
      toTimestamp(place?.at),
      place?.id ?? null,
      limit,
    ])
    return rows.map(toAuditRecord)
  }
}

export function toAuditRecord(row: AuditRow): ListedAudit {
  return {
    id: row.id,
    at: row.created_at.getTime(),
    operation: row.operation,
    kind: row.kind,
    name: row.name,
    generation: BigInt(row.generation),
    ownerProvider: row.owner_provider,
    account: row.account,
    role: row.role,
    token: row.token,
    justification: row.justification,
    requestId: row.request_id,
    address: row.address,
    detail: row.detail,
    times: BigInt(row.times),
  }
}

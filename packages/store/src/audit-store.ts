import type { Session } from './session.ts'
import { statement } from './statement.ts'
import { toTimestamp } from './timestamp.ts'

export interface AuditRecord {
  readonly id: string
  readonly at: number
  readonly operation: string
  readonly kind: string
  readonly name: string
  readonly generation: bigint
  readonly ownerProvider: string
  readonly account: string
  readonly role: string
  readonly token: string
  readonly justification: string
  readonly requestId: string
}

export interface AuditFilter {
  readonly kind: string | undefined
  readonly name: string | undefined
  readonly account: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
  /** Only entries older than this one. */
  readonly before: { readonly at: number; readonly id: string } | undefined
}

const insert = statement(
  'audit_insert',
  `insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account,
     role, token, justification, request_id)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)

const list = statement(
  'audit_list',
  `select id, created_at, operation, kind, name, generation, owner_provider, account, role, token,
     justification, request_id
   from audit
   where tenant_id = skein_current_tenant()
     and ($1::text is null or kind = $1)
     and ($2::text is null or name = $2)
     and ($3::text is null or account = $3)
     and created_at >= coalesce($4::timestamptz, '-infinity')
     and created_at < coalesce($5::timestamptz, 'infinity')
     and (created_at, id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
   order by created_at desc, id desc limit $8`,
)

/** Who changed what in the session's tenant. Rows are only ever added. */
export class AuditStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(entry: AuditRecord): Promise<void> {
    await this.#session.execute(insert, [
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
    ])
  }

  /** Newest first. */
  async list(filter: AuditFilter, limit: number): Promise<AuditRecord[]> {
    const rows = await this.#session.rows<{
      id: string
      created_at: Date
      operation: string
      kind: string
      name: string
      generation: string
      owner_provider: string
      account: string
      role: string
      token: string
      justification: string
      request_id: string
    }>(list, [
      filter.kind ?? null,
      filter.name ?? null,
      filter.account ?? null,
      toTimestamp(filter.from),
      toTimestamp(filter.until),
      toTimestamp(filter.before?.at),
      filter.before?.id ?? null,
      limit,
    ])
    return rows.map((row) => ({
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
    }))
  }
}

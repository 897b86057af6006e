import type { AuditSeal, TimeSpan } from '@skein/core'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** What a tenant's audit log holds in a span of time, and the seal to continue from. */
export interface AuditSum {
  readonly tenantId: string
  readonly entries: number
  readonly digest: string
  /** 0 and empty without one. */
  readonly lastNumber: bigint
  readonly lastMac: string
}

/** The time of sealing and the span are the same for all. */
type NewAuditSeal = Omit<AuditSeal, keyof TimeSpan | 'sealedAt'> & { readonly mac: string }

const position = statement('hold_audit_position', 'select hold_audit_position() as sealed_until', {
  sealed_until: 'timestamptz?',
})
const sums = statement(
  'audit_sums',
  `select tenant_id, entries, encode(digest, 'hex') as digest, last_number, encode(last_mac, 'hex') as last_mac
   from audit_sums($1, $2)`,
  { tenant_id: 'uuid', entries: 'int', digest: 'text', last_number: 'bigint', last_mac: 'text' },
)
const add = statement('add_audit_seals', 'select add_audit_seals($1, $2, $3, $4)')

/** Seals of the audit logs of all tenants. Everything in one transaction, which holds the position. */
export class AuditSealStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Until when entries are sealed. Undefined while another server seals. */
  async holdPosition(): Promise<number | undefined> {
    return (await this.#transaction.row(position, []))?.sealed_until?.getTime()
  }

  async sums({ from, until }: TimeSpan): Promise<AuditSum[]> {
    const rows = await this.#transaction.rows(sums, [new Date(from), new Date(until)])
    return rows.map((row) => ({
      tenantId: row.tenant_id,
      entries: row.entries,
      digest: row.digest,
      lastNumber: BigInt(row.last_number),
      lastMac: row.last_mac,
    }))
  }

  async add({ from, until }: TimeSpan, sealedAt: number, seals: readonly NewAuditSeal[]): Promise<void> {
    const rows = seals.map((seal) => ({ ...seal, number: seal.number.toString() }))
    const times = [from, until, sealedAt].map((at) => new Date(at))
    await this.#transaction.execute(add, [...times, JSON.stringify(rows)])
  }
}

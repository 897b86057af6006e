import type { FoundSeal } from '@skein/core'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** All of these need the owner login. */

const tenants = statement(
  'audited_tenants',
  `select t.id, t.provider, t.org from tenant t
   where exists (select from audit_seal s where s.tenant_id = t.id)
     or exists (select from audit a where a.tenant_id = t.id)
   order by t.provider, t.org`,
  { id: 'uuid', provider: 'text', org: 'text' },
)

export async function findAuditedTenants(
  transaction: Transaction,
): Promise<{ readonly id: string; readonly provider: string; readonly org: string }[]> {
  return transaction.rows(tenants, [])
}

const page = statement(
  'audit_seal_check',
  `select s.number, s.from_at, s.until_at, s.entries, encode(s.digest, 'hex') as digest, encode(s.mac, 'hex') as mac,
     encode(s.previous_mac, 'hex') as previous_mac, s.sealed_at,
     f.entries as found_entries, f.digest as found_digest
   from audit_seal s cross join lateral (
     select count(*)::int as entries,
       coalesce(encode(sha256(string_agg(audit_entry_digest(a), ''::bytea order by a.created_at, a.id)), 'hex'), '') as digest
     from audit a where a.tenant_id = $1 and a.created_at >= s.from_at and a.created_at < s.until_at
   ) as f
   where s.tenant_id = $1 and s.number > $2 order by s.number limit $3`,
  {
    number: 'bigint',
    from_at: 'timestamptz',
    until_at: 'timestamptz',
    entries: 'int',
    digest: 'text',
    mac: 'text',
    previous_mac: 'text',
    sealed_at: 'timestamptz',
    found_entries: 'int',
    found_digest: 'text',
  },
)

/** A tenant's seals in order, starting after the given number, with what the log holds now. */
export async function checkAuditSeals(
  transaction: Transaction,
  tenantId: string,
  after: bigint,
  limit: number,
): Promise<FoundSeal[]> {
  const rows = await transaction.rows(page, [tenantId, after, limit])
  return rows.map((row) => ({
    number: BigInt(row.number),
    from: row.from_at.getTime(),
    until: row.until_at.getTime(),
    entries: row.entries,
    digest: row.digest,
    previousMac: row.previous_mac,
    sealedAt: row.sealed_at.getTime(),
    mac: row.mac,
    foundEntries: row.found_entries,
    foundDigest: row.found_digest,
  }))
}

const count = statement(
  'audit_count_sealed',
  `select count(*)::int as entries from audit a, audit_position p
   where a.tenant_id = $1 and a.created_at >= greatest(p.begun_at, $2) and a.created_at < p.sealed_until`,
  { entries: 'int' },
)

/** How many entries there are since this time that must be sealed, whether a seal covers them or not. */
export async function countSealedTimes(
  transaction: Transaction,
  tenantId: string,
  from: number,
): Promise<number> {
  return (await transaction.row(count, [tenantId, new Date(from)]))?.entries ?? 0
}

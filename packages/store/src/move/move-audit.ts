import type { FoundSeal, TimeSpan } from '@skein/core'
import type { MoveConnection } from './move-connection.ts'

/** The chain of seals of one audit log, for a cell that makes its seals with another key (docs/adr/0059, 0074). */

interface SealRow {
  number: string
  from_at: Date
  until_at: Date
  entries: number
  digest: string
  previous_mac: string
  sealed_at: Date
  mac: string
  found_entries: number
  found_digest: string
}

const PAGE = 200

const DIGEST = `coalesce(encode(sha256(string_agg(audit_entry_digest(a), ''::bytea order by a.created_at, a.id)), 'hex'), '')`

/** In order, each with what the log holds in its span now. */
export async function* readSeals(connection: MoveConnection, tenantId: string): AsyncGenerator<FoundSeal> {
  let after = '0'
  for (;;) {
    const rows: SealRow[] = await connection.rows<SealRow & Record<string, unknown>>(
      `select s.number::text, s.from_at, s.until_at, s.entries, encode(s.digest, 'hex') as digest,
         encode(s.mac, 'hex') as mac, encode(s.previous_mac, 'hex') as previous_mac, s.sealed_at,
         f.entries as found_entries, f.digest as found_digest
       from audit_seal s cross join lateral (
         select count(*)::int as entries, ${DIGEST} as digest
         from audit a where a.tenant_id = $1 and a.created_at >= s.from_at and a.created_at < s.until_at
       ) as f
       where s.tenant_id = $1 and s.number > $2 order by s.number limit ${PAGE}`,
      [tenantId, after],
    )
    yield* rows.map(toSeal)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = last.number
  }
}

const toSeal = (row: SealRow): FoundSeal => ({
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
})

/** Between which times the cell has sealed everything. */
export function readSealedTimes(connection: MoveConnection): Promise<TimeSpan> {
  return sealedTimes(connection, '')
}

/** The same, held until the end of the transaction. */
export function holdSealedTimes(connection: MoveConnection): Promise<TimeSpan> {
  return sealedTimes(connection, ' for update')
}

async function sealedTimes(connection: MoveConnection, lock: '' | ' for update'): Promise<TimeSpan> {
  const row = await connection.row<{ begun_at: Date; sealed_until: Date }>(
    `select begun_at, sealed_until from audit_position${lock}`,
  )
  if (!row) throw new Error('A database knows until when its audit is sealed')
  return { from: row.begun_at.getTime(), until: row.sealed_until.getTime() }
}

export async function sumEntries(
  connection: MoveConnection,
  tenantId: string,
  { from, until }: TimeSpan,
): Promise<{ readonly entries: number; readonly digest: string }> {
  const row = await connection.row<{ entries: number; digest: string }>(
    `select count(*)::int as entries, ${DIGEST} as digest from audit a
     where a.tenant_id = $1 and a.created_at >= $2 and a.created_at < $3`,
    [tenantId, new Date(from), new Date(until)],
  )
  return row ?? { entries: 0, digest: '' }
}

export async function removeSeals(connection: MoveConnection, tenantId: string): Promise<void> {
  await connection.execute('delete from audit_seal where tenant_id = $1', [tenantId])
}

export async function addSeal(
  connection: MoveConnection,
  tenantId: string,
  seal: Omit<FoundSeal, 'foundEntries' | 'foundDigest'>,
): Promise<void> {
  await connection.execute(
    `insert into audit_seal (tenant_id, number, from_at, until_at, entries, digest, previous_mac, sealed_at, mac)
     values ($1, $2, $3, $4, $5, decode($6, 'hex'), decode($7, 'hex'), $8, decode($9, 'hex'))`,
    [
      tenantId,
      seal.number.toString(),
      new Date(seal.from),
      new Date(seal.until),
      seal.entries,
      seal.digest,
      seal.previousMac,
      new Date(seal.sealedAt),
      seal.mac,
    ],
  )
}

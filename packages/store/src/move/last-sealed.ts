import type { AuditSeal } from '@skein/core'
import type { MoveConnection } from './move-connection.ts'

/** What a cell's own servers have sealed last. What arrives in a cell was sealed by the command that moves it. */

const OWN = `join tenant t on t.id = s.tenant_id where t.move_step is distinct from 'arriving'`

interface SealedSecret {
  readonly tenantId: string
  readonly kind: string
  readonly name: string
  readonly sealed: string
}

export async function lastSecret(connection: MoveConnection): Promise<SealedSecret | undefined> {
  const row = await connection.row<{ tenant_id: string; kind: string; name: string; sealed: string }>(
    `select s.tenant_id, s.kind, s.name, s.sealed from sealed_value s ${OWN} order by s.created_at desc limit 1`,
  )
  return row && { tenantId: row.tenant_id, kind: row.kind, name: row.name, sealed: row.sealed }
}

interface SealRow {
  tenant_id: string
  number: string
  from_at: Date
  until_at: Date
  entries: number
  digest: string
  previous_mac: string
  sealed_at: Date
  mac: string
}

export async function lastSeal(
  connection: MoveConnection,
): Promise<(AuditSeal & { readonly mac: string }) | undefined> {
  const row = await connection.row<SealRow & Record<string, unknown>>(
    `select s.tenant_id, s.number::text, s.from_at, s.until_at, s.entries, encode(s.digest, 'hex') as digest,
       encode(s.previous_mac, 'hex') as previous_mac, s.sealed_at, encode(s.mac, 'hex') as mac
     from audit_seal s ${OWN} order by s.until_at desc limit 1`,
  )
  return (
    row && {
      tenantId: row.tenant_id,
      number: BigInt(row.number),
      from: row.from_at.getTime(),
      until: row.until_at.getTime(),
      entries: row.entries,
      digest: row.digest,
      previousMac: row.previous_mac,
      sealedAt: row.sealed_at.getTime(),
      mac: row.mac,
    }
  )
}

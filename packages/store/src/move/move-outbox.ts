import { SkeinError } from '@skein/contract'
import type { MoveConnection } from './move-connection.ts'

/** Numbers of transactions mean nothing in another database, so what integrations have not read is written there again. */

interface Unread {
  readonly agent_id: string
  readonly first_sequence: string
  readonly last_sequence: string
  readonly created_at: string
}

interface Reader {
  readonly xid: string
  readonly id: string
  readonly floor_id: string
  readonly event_sequence: string
  readonly looked_at: string
  readonly is_foreign: boolean
}

const BATCH = 1_000

const UNREAD = `select agent_id, first_sequence, last_sequence, created_at::text from outbox
  where tenant_id = $1 and (xid, id) > ($2::xid8, $3::bigint) and id > $4::bigint order by xid, id`

function findReader(connection: MoveConnection, tenantId: string): Promise<Reader | undefined> {
  return connection.row<Reader & Record<string, unknown>>(
    `select xid::text, id::text, floor_id::text, event_sequence::text, looked_at::text,
       xid > pg_snapshot_xmax(pg_current_snapshot()) as is_foreign
     from outbox_reader where tenant_id = $1`,
    [tenantId],
  )
}

export async function copyOutbox(
  { source, target }: { source: MoveConnection; target: MoveConnection },
  tenantId: string,
): Promise<number> {
  const reader = await findReader(source, tenantId)
  if (reader?.is_foreign === true) {
    throw new SkeinError('TENANT_MOVING', {
      message: 'Servers have not read the outbox since the database was restored. Start one and try again.',
    })
  }
  let copied = 0
  await target.transaction(async () => {
    await target.execute('delete from outbox where tenant_id = $1', [tenantId])
    await target.execute('delete from outbox_reader where tenant_id = $1', [tenantId])
    if (!reader) return
    await target.execute(
      `insert into outbox_reader (tenant_id, xid, id, floor_id, event_sequence, looked_at) values ($1, '0', 0, 0, $2, $3)`,
      [tenantId, reader.event_sequence, reader.looked_at],
    )
    await source.transaction(async () => {
      await source.execute(`declare unread no scroll cursor for ${UNREAD}`, [
        tenantId,
        reader.xid,
        reader.id,
        reader.floor_id,
      ])
      for (;;) {
        const rows = await source.rows<Unread & Record<string, string>>(`fetch ${BATCH} from unread`)
        if (rows.length === 0) return
        // Row by row in this order: ids are assigned as rows come.
        await target.execute(
          `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
           select $1, u.agent_id, u.first_sequence, u.last_sequence, u.created_at
           from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
             with ordinality as u(agent_id, first_sequence, last_sequence, created_at, place)
           order by u.place`,
          [
            tenantId,
            rows.map((row) => row.agent_id),
            rows.map((row) => row.first_sequence),
            rows.map((row) => row.last_sequence),
            rows.map((row) => row.created_at),
          ],
        )
        copied += rows.length
      }
    }, 'begin isolation level repeatable read read only')
  })
  return copied
}

/** What the tenant's integrations have not read yet, in order, as one digest. */
export async function digestOutbox(connection: MoveConnection, tenantId: string): Promise<string> {
  const reader = await findReader(connection, tenantId)
  if (!reader) return 'none'
  const row = await connection.row<{ digest: string }>(
    `select count(*) || '/' || coalesce(md5(string_agg(row(u.agent_id, u.first_sequence, u.last_sequence, u.created_at)::text,
       ',' order by u.place)), '') as digest
     from (select o.*, row_number() over (order by xid, id) as place from outbox o
       where tenant_id = $1 and (xid, id) > ($2::xid8, $3::bigint) and id > $4::bigint) u`,
    [tenantId, reader.xid, reader.id, reader.floor_id],
  )
  return `${row?.digest} ${reader.event_sequence}`
}

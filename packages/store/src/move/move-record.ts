import type { Tenant } from '@skein/contract'
import type { MoveConnection } from './move-connection.ts'

/** Steps of a move, in the cell that the tenant leaves. */
export type LeavingStep = 'copying' | 'draining' | 'leaving' | 'frozen' | 'moved'

/** A tenant as one of the two cells knows it. */
export interface MovingTenant {
  readonly id: string
  readonly org: string
  readonly provider: string
  readonly isClosed: boolean
  readonly moveId: string | undefined
  readonly step: LeavingStep | 'arriving' | undefined
  /** The other cell. */
  readonly cell: string | undefined
  /** By operators, before the move. As text: exact to the microsecond. */
  readonly suspendedBefore: string | undefined
  readonly createdAt: string
}

const FIND = `select id, provider, org, closed_at is not null as is_closed, move_id, move_step, move_cell,
    case when move_step in ('leaving', 'frozen', 'moved', 'arriving') then move_suspended_at else suspended_at end::text
      as suspended_before,
    created_at::text
  from tenant`

interface Row {
  id: string
  provider: string
  org: string
  is_closed: boolean
  move_id: string | null
  move_step: MovingTenant['step'] | null
  move_cell: string | null
  suspended_before: string | null
  created_at: string
}

const toTenant = (row: Row): MovingTenant => ({
  id: row.id,
  provider: row.provider,
  org: row.org,
  isClosed: row.is_closed,
  moveId: row.move_id ?? undefined,
  step: row.move_step ?? undefined,
  cell: row.move_cell ?? undefined,
  suspendedBefore: row.suspended_before ?? undefined,
  createdAt: row.created_at,
})

/** The tenant of that name, and the one with that id, if there are any. */
export async function findMovingTenants(
  connection: MoveConnection,
  { provider, org }: Tenant,
  id?: string,
): Promise<MovingTenant[]> {
  const rows = await connection.rows<Row>(`${FIND} where (provider = $1 and org = $2) or id = $3`, [
    provider,
    org,
    id ?? null,
  ])
  return rows.map(toTenant)
}

/** Only one process at a time moves a tenant. Held until the connection ends. */
export async function lockMove(connection: MoveConnection, tenantId: string): Promise<boolean> {
  const row = await connection.row<{ is_locked: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('skein.move/' || $1, 0)) as is_locked`,
    [tenantId],
  )
  return row?.is_locked === true
}

/** Also when it starts over with another target: what is at the former one is never activated. */
export async function beginMove(
  source: MoveConnection,
  { tenantId, moveId, cell }: { tenantId: string; moveId: string; cell: string },
): Promise<void> {
  const changed = await source.execute(
    `update tenant set move_id = $2, move_step = coalesce(move_step, 'copying'), move_cell = $3
     where id = $1 and move_step is distinct from 'moved' and move_step is distinct from 'arriving' and closed_at is null`,
    [tenantId, moveId, cell],
  )
  if (changed !== 1) throw new Error('The tenant was changed meanwhile')
}

/** Nothing of it is served: that follows when it is activated. */
export async function addArriving(
  target: MoveConnection,
  tenant: MovingTenant,
  { moveId, cell }: { moveId: string; cell: string },
): Promise<void> {
  await target.execute(
    `insert into tenant (id, provider, org, created_at, suspended_at, move_id, move_step, move_cell)
     values ($1, $2, $3, $4, now(), $5, 'arriving', $6)`,
    [tenant.id, tenant.provider, tenant.org, tenant.createdAt, moveId, cell],
  )
}

/** What a step changes besides its name. Callers are refused from `leaving` on. */
const CHANGES: Readonly<Record<LeavingStep, string>> = {
  copying: '',
  draining: '',
  leaving: ', move_suspended_at = suspended_at, suspended_at = coalesce(suspended_at, now())',
  frozen: '',
  moved: '',
}

/** The step from which each one follows: it is taken once. */
export async function takeStep(
  source: MoveConnection,
  { id, moveId }: MovingTenant,
  from: LeavingStep,
  to: LeavingStep,
): Promise<void> {
  const changed = await source.execute(
    `update tenant set move_step = $4${CHANGES[to]} where id = $1 and move_id = $2 and move_step = $3`,
    [id, moveId, from, to],
  )
  if (changed !== 1) throw new Error(`The tenant is not ${from} any more`)
}

/** From now on the target's servers serve it. Only after the source has noted that it has moved. */
export async function activateArrived(target: MoveConnection, source: MovingTenant): Promise<void> {
  const changed = await target.execute(
    `update tenant set move_step = null, suspended_at = $3, resumed_at = now()
     where id = $1 and move_id = $2 and move_step = 'arriving' and closed_at is null`,
    [source.id, source.moveId, source.suspendedBefore ?? null],
  )
  if (changed !== 1) throw new Error('The tenant is not arriving any more')
}

/** The source serves it again. */
export async function cancelLeaving(source: MoveConnection, { id, moveId }: MovingTenant): Promise<boolean> {
  const changed = await source.execute(
    `update tenant set move_id = null, move_step = null, move_cell = null, move_suspended_at = null,
       suspended_at = case when move_step in ('leaving', 'frozen') then move_suspended_at else suspended_at end,
       resumed_at = case when move_step in ('leaving', 'frozen') and move_suspended_at is null then now() else resumed_at end
     where id = $1 and move_id = $2 and move_step <> 'moved'`,
    [id, moveId],
  )
  return changed === 1
}

/** Lets the target's servers delete what was copied. */
export async function closeArriving(target: MoveConnection, { id, moveId }: MovingTenant): Promise<void> {
  await target.execute(
    `update tenant set closed_at = now(), delete_at = now(), delete_asked_at = now(), abandons_leftovers = true
     where id = $1 and move_id = $2 and move_step = 'arriving'`,
    [id, moveId],
  )
}

export interface CellSchema {
  readonly migrations: string
  readonly functions: string
}

export async function describeCell(connection: MoveConnection): Promise<CellSchema> {
  const row = await connection.row<{ migrations: string; functions: string }>(
    `select coalesce((select json_agg(json_build_array(number, checksum) order by number)::text from skein_migration), '')
         as migrations,
       coalesce((select checksum from skein_function_set order by number desc limit 1), '') as functions`,
  )
  if (!row) throw new Error('A database describes itself')
  return row
}

/** Whether two connections lead to the same database, whatever their addresses are. */
export async function isSameDatabase(one: MoveConnection, other: MoveConnection): Promise<boolean> {
  const [nonce] = crypto.getRandomValues(new BigInt64Array(1))
  const lock = 'select pg_try_advisory_lock($1) as is_free'
  await one.rows(lock, [nonce])
  const found = await other.row<{ is_free: boolean }>(lock, [nonce])
  if (found?.is_free === true) await other.rows('select pg_advisory_unlock($1)', [nonce])
  await one.rows('select pg_advisory_unlock($1)', [nonce])
  return found?.is_free !== true
}

/** What still works for the tenant in the source: runs with a lease, and what servers hold. */
export async function countHeld(
  source: MoveConnection,
  tenantId: string,
): Promise<{ readonly runs: number; readonly holds: number }> {
  const runs = await source.row<{ amount: number }>(
    'select count(*)::int as amount from run where tenant_id = $1 and is_leased',
    [tenantId],
  )
  const tables = await source.rows<{ name: string }>(
    `select c.relname::text as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'held_until' and not a.attisdropped
     join pg_attribute o on o.attrelid = c.oid and o.attname = 'tenant_id' and not o.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  let holds = 0
  for (const { name } of tables) {
    const held = await source.row<{ amount: number }>(
      `select count(*)::int as amount from "${name}" where tenant_id = $1 and held_until > now()`,
      [tenantId],
    )
    holds += held?.amount ?? 0
  }
  return { runs: runs?.amount ?? 0, holds }
}

const KEYS_AT_ONCE = 1_000

/**
 * Ids of keys that still work and that a load balancer may send to another cell: those that do not begin with the tenant's
 * cell, and those from before it came back there.
 */
export async function* movedKeys(
  target: MoveConnection,
  tenantId: string,
  cell: string,
): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const found: { key_id: string }[] = await target.rows(
      `select k.key_id from api_key k join tenant t on t.id = k.tenant_id
       where k.tenant_id = $1 and k.key_id > $2 and (left(k.key_id, -26) <> $3 or k.created_at < t.resumed_at)
         and k.revoked_at is null and coalesce(k.expires_at > now(), true)
       order by k.key_id limit ${KEYS_AT_ONCE}`,
      [tenantId, after, cell],
    )
    for (const { key_id: keyId } of found) yield keyId
    const last = found.at(-1)
    if (!last || found.length < KEYS_AT_ONCE) return
    after = last.key_id
  }
}

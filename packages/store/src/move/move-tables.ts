import { escapeIdentifier } from 'pg'
import { FOUND_BY_AGENT } from '../tenant/tenant-rows.ts'
import type { MoveConnection } from './move-connection.ts'

/** A table with rows of tenants, as the database describes it, so that a new one is never forgotten. */
export interface MoveTable {
  readonly name: string
  readonly columns: readonly MoveColumn[]
  /** Names of the columns of its primary key. */
  readonly key: readonly string[]
}

export interface MoveColumn {
  readonly name: string
  readonly type: string
  /** Encrypted with the master key of its cell. */
  readonly isSealed: boolean
  /** What the other cell gets instead, as SQL; it means nothing there. */
  readonly instead?: string
}

/** Numbers of transactions, digests made with a master key: `table.column`. */
const INSTEAD: Readonly<Record<string, string>> = {
  // Read by time, as entries from before their transactions were recorded.
  'audit.xid': `'1'`,
  // Matches every request: see UNKNOWN_REQUEST in the engine.
  'command.request_sha256': String.raw`'\x${'00'.repeat(32)}'`,
}

/** These have steps of their own, or are not copied: the events of segments are, from the table. */
const APART: ReadonlySet<string> = new Set(['outbox', 'outbox_reader', 'audit_seal', 'timeline_segment'])

export async function findMoveTables(connection: MoveConnection): Promise<MoveTable[]> {
  const found = await connection.rows<{
    name: string
    columns: { name: string; type: string }[]
    key: string[] | null
  }>(
    `select c.relname::text as name,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attname)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       (select array_agg(a.attname::text order by k.place) from pg_index i, unnest(i.indkey) with ordinality as k(number, place)
        join pg_attribute a on a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid) as key
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a
         where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
     order by c.relname`,
  )
  return found.map(({ name, columns, key }) => {
    if (!key) throw new Error(`The table ${name} has no primary key, so its rows cannot be compared`)
    return { name, key, columns: columns.map((column) => toColumn(name, column)) }
  })
}

function toColumn(table: string, { name, type }: { name: string; type: string }): MoveColumn {
  const instead = INSTEAD[`${table}.${name}`]
  return { name, type, isSealed: name === 'sealed', ...(instead !== undefined && { instead }) }
}

export function isCopiedByRow({ name }: MoveTable): boolean {
  return !APART.has(name)
}

/** Whether its rows are found by their agent, because it has no index by tenant. */
export function isByAgent({ name }: MoveTable): boolean {
  return name !== 'agent' && FOUND_BY_AGENT.has(name)
}

/** The tenant's rows as `t`. Those without an index by tenant are found agent by agent; the tenant has events of its own. */
export function rowsOfTenant(of: MoveTable): string {
  const table = escapeIdentifier(of.name)
  return isByAgent(of)
    ? `(select id from agent where tenant_id = $1 union all select $1) a
       cross join lateral (select xmin, * from ${table} where agent_id = a.id offset 0) t`
    : `(select xmin, * from ${table} where tenant_id = $1) t`
}

/** What keeps rows of a tenant from changing, in every table that has some. */
function fenceName(tenantId: string): string {
  return `move_${tenantId.replaceAll('-', '')}`
}

/**
 * Short, because others that write to the table wait behind it, and longer than PostgreSQL's `deadlock_timeout`, after which
 * an autovacuum of the table makes way.
 */
const LOCK_MS = 2_500

/**
 * From now on no server can change rows of the tenant while it is frozen, has moved or is arriving. Waits for those that
 * are doing so. Takes one table at a time, so that others are not held up for long.
 */
export async function raiseFence(
  connection: MoveConnection,
  tables: readonly MoveTable[],
  tenantId: string,
): Promise<void> {
  for (const { name } of tables) {
    const [fence, table] = [escapeIdentifier(fenceName(tenantId)), escapeIdentifier(name)]
    await whenFree(connection, [
      `create or replace trigger ${fence} before insert or update on ${table} for each row
       when (new.tenant_id = '${tenantId}') execute function refuse_moved_row()`,
      `create or replace trigger ${escapeIdentifier(`${fenceName(tenantId)}_delete`)} before delete on ${table} for each row
       when (old.tenant_id = '${tenantId}') execute function refuse_moved_row()`,
    ])
  }
}

/**
 * Switches the triggers off and drops them. Dropping waits for everybody who reads the table, such as a backup, and others
 * wait behind it: so it is tried once. Returns in how many tables they are still there. They cost nothing, and another call
 * drops them.
 */
export async function lowerFence(connection: MoveConnection, tenantId: string): Promise<number> {
  const found = await connection.rows<{ fence: string; table: string }>(
    `select t.tgname::text as fence, c.relname::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname in ($1::text, $1::text || '_delete') and t.tgparentid = 0
       and c.relnamespace = 'public'::regnamespace order by c.relname`,
    [fenceName(tenantId)],
  )
  let left = 0
  for (const [name, fences] of Map.groupBy(found, ({ table }) => table)) {
    const table = escapeIdentifier(name)
    const names = fences.map(({ fence }) => escapeIdentifier(fence))
    await whenFree(
      connection,
      names.map((fence) => `alter table ${table} disable trigger ${fence}`),
    )
    const drops = names.map((fence) => `drop trigger if exists ${fence} on ${table}`)
    if (!(await isDoneSoon(connection, drops))) left += 1
  }
  return left
}

const ATTEMPTS = 60

async function whenFree(connection: MoveConnection, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; !(await isDoneSoon(connection, statements, attempt === ATTEMPTS)); attempt += 1)
    await new Promise((resolve) => setTimeout(resolve, LOCK_MS / 2))
}

/** False if others have used the table for too long; then nothing was done. */
async function isDoneSoon(
  connection: MoveConnection,
  statements: readonly string[],
  isLast = false,
): Promise<boolean> {
  try {
    await connection.transaction(async () => {
      await connection.execute(`set local lock_timeout = ${LOCK_MS}`)
      for (const text of statements) await connection.execute(text)
    })
    return true
  } catch (error) {
    if (isLast || !isLockTimeout(error)) throw error
    return false
  }
}

/** As toSkeinError translates it. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'TREE_BUSY'
}

import { escapeIdentifier } from 'pg'
import { isUniqueViolation } from '../database/database-errors.ts'
import { FOUND_BY_AGENT } from '../tenant/tenant-rows.ts'
import type { MoveConnection } from './move-connection.ts'
import { isByAgent, rowsOfTenant, type MoveColumn, type MoveTable } from './move-tables.ts'

/** Rows are compared in so many groups: only those that differ are copied. Few hexadecimal digits of an MD5. */
const GROUP_DIGITS = 3
/** Of a batch. A row can have megabytes. */
const BATCH_CHARACTERS = 4_000_000
const BATCH_ROWS = 500
const DELETED_AT_ONCE = 2_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

interface Cells {
  readonly source: MoveConnection
  readonly target: MoveConnection
}

/** The texts of a row's columns, in the order of the table's. */
export type MovedRow = readonly (string | null)[]

export interface SyncOptions {
  readonly tenantId: string
  /** Changes what is sealed with the key of its cell. */
  readonly reseal: (table: MoveTable, row: MovedRow) => MovedRow
  readonly onBatch?: (table: MoveTable, rows: number) => Promise<void>
  /** Only these groups. */
  readonly groups?: readonly string[]
}

interface Group {
  readonly digits: string
  readonly rows: number
  /** Over the rows, in any order. */
  readonly sum: string
  readonly longest: number
}

const name = (column: MoveColumn | string) =>
  `t.${escapeIdentifier(typeof column === 'string' ? column : column.name)}`

/** By agent where rows are found by agent, so that an agent that changed is one group. */
function groupOf(table: MoveTable): string {
  const columns = isByAgent(table) ? ['agent_id'] : table.key
  return `substr(md5(row(${columns.map(name).join(', ')})::text), 1, ${GROUP_DIGITS})`
}

/** What must be equal. Of what is different in each cell, only whether it is there. */
function canonical({ columns }: MoveTable): string {
  const values = columns.map((column) =>
    column.isSealed ? `${name(column)} is null` : column.instead === undefined ? name(column) : 'null',
  )
  return `row(${values.join(', ')})::text`
}

async function groupsOf(
  connection: MoveConnection,
  table: MoveTable,
  tenantId: string,
  only: readonly string[] | undefined,
): Promise<Map<string, Group>> {
  // `offset 0`, or PostgreSQL would make each text twice.
  const rows = await connection.rows<{ digits: string; rows: number; sum: string; longest: number }>(
    `select r.digits, count(*)::int as rows, max(length(r.text)) as longest,
       sum(('x' || substr(md5(r.text), 1, 15))::bit(60)::bigint)::text as sum
     from (select ${groupOf(table)} as digits, ${canonical(table)} as text from ${rowsOfTenant(table)}
       where $2::text[] is null or ${groupOf(table)} = any ($2) offset 0) r
     group by r.digits`,
    [tenantId, only ?? null],
  )
  return new Map(rows.map((row) => [row.digits, row]))
}

export interface TableDifference {
  readonly table: string
  readonly sourceRows: number
  readonly targetRows: number
  readonly groups: readonly string[]
  readonly longest: number
}

/** Undefined if both cells have the same rows, or the same in these groups. */
export async function compareTable(
  { source, target }: Cells,
  table: MoveTable,
  tenantId: string,
  only?: readonly string[],
): Promise<TableDifference | undefined> {
  const [ours, theirs] = await Promise.all([
    groupsOf(source, table, tenantId, only),
    groupsOf(target, table, tenantId, only),
  ])
  const groups = [...new Set([...ours.keys(), ...theirs.keys()])].filter((digits) => {
    const [one, other] = [ours.get(digits), theirs.get(digits)]
    return one?.rows !== other?.rows || one?.sum !== other?.sum
  })
  if (groups.length === 0) return undefined
  const longest = [...ours.values()].reduce((most, group) => Math.max(most, group.longest), 1)
  return { table: table.name, sourceRows: sumRows(ours), targetRows: sumRows(theirs), groups, longest }
}

function sumRows(groups: ReadonlyMap<string, Group>): number {
  return [...groups.values()].reduce((sum, { rows }) => sum + rows, 0)
}

/** Copies what differs, in batches that commit by themselves. Stopped at any point, the next one completes it. */
export async function syncTable(cells: Cells, table: MoveTable, options: SyncOptions): Promise<number> {
  const difference = await compareTable(cells, table, options.tenantId, options.groups)
  if (!difference) return 0
  if (difference.targetRows > 0) {
    if (table.name === 'agent') await deleteForgotten(cells, table, options.tenantId, difference.groups)
    else await deleteGroups(cells.target, table, options.tenantId, difference.groups)
  }
  return difference.sourceRows > 0 ? copyGroups(cells, table, difference, options) : 0
}

/** The oldest transaction in progress at some time: what was not visible then is written by this one or a newer one. */
export type Horizon = string & { readonly kind: 'horizon' }

export async function readHorizon(connection: MoveConnection): Promise<Horizon> {
  const row = await connection.row<{ horizon: Horizon }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::xid::text as horizon`,
  )
  if (!row) throw new Error('A database has a snapshot')
  return row.horizon
}

/**
 * As `syncTable`, if the two have had the same rows since that time. Makes texts and checksums only of what was written
 * later, and of everything only if rows were deleted, which leave no trace.
 */
export async function syncChanges(
  cells: Cells,
  table: MoveTable,
  since: Horizon,
  options: SyncOptions,
): Promise<number> {
  const { rows, groups } = await changesSince(cells.source, table, options.tenantId, since)
  const copied =
    groups.length === 0 ? 0 : await syncTable(cells, table, { ...options, groups }).catch(noneIfTaken)
  if (copied === undefined) return syncTable(cells, table, options)
  if ((await countRows(cells.target, table, options.tenantId)) === rows) return copied
  return copied + (await syncTable(cells, table, options))
}

/** A row that was deleted in the source has something unique that a new one has now. */
function noneIfTaken(error: unknown): undefined {
  if (!isUniqueViolation(error)) throw error
}

async function changesSince(
  source: MoveConnection,
  table: MoveTable,
  tenantId: string,
  since: Horizon,
): Promise<{ readonly rows: number; readonly groups: readonly string[] }> {
  const found = await source.row<{ rows: number; groups: string[] | null }>(
    `select count(*)::int as rows,
       array_agg(distinct ${groupOf(table)}) filter (where age(t.xmin) <= age($2::xid)) as groups
     from ${rowsOfTenant(table)}`,
    [tenantId, since],
  )
  return { rows: found?.rows ?? 0, groups: found?.groups ?? [] }
}

async function countRows(connection: MoveConnection, table: MoveTable, tenantId: string): Promise<number> {
  const row = await connection.row<{ rows: number }>(
    `select count(*)::int as rows from ${rowsOfTenant(table)}`,
    [tenantId],
  )
  return row?.rows ?? 0
}

async function deleteGroups(
  target: MoveConnection,
  table: MoveTable,
  tenantId: string,
  groups: readonly string[],
): Promise<void> {
  const key = table.key.map((column) => escapeIdentifier(column)).join(', ')
  const found = table.key.map(name).join(', ')
  for (;;) {
    const deleted = await target.execute(
      `delete from ${escapeIdentifier(table.name)} where (${key}) in (
         select ${found} from ${rowsOfTenant(table)} where ${groupOf(table)} = any ($2) limit ${DELETED_AT_ONCE})`,
      [tenantId, groups],
    )
    if (deleted < DELETED_AT_ONCE) return
  }
}

/**
 * Agents that the source has deleted meanwhile, with all that is found only by its agent. The others stay, or what they have
 * would be found no more if this were stopped before they are copied again.
 */
async function deleteForgotten(
  { source, target }: Cells,
  table: MoveTable,
  tenantId: string,
  groups: readonly string[],
): Promise<void> {
  for (let after = FIRST_ID; ;) {
    const found: { id: string }[] = await target.rows(
      `select t.id from ${rowsOfTenant(table)} where ${groupOf(table)} = any ($2) and t.id > $3
       order by t.id limit ${DELETED_AT_ONCE}`,
      [tenantId, groups, after],
    )
    const ids = found.map(({ id }) => id)
    const kept = new Set(
      (await source.rows<{ id: string }>('select id from agent where id = any ($1)', [ids])).map(
        ({ id }) => id,
      ),
    )
    const forgotten = ids.filter((id) => !kept.has(id))
    if (forgotten.length > 0) {
      await target.transaction(async () => {
        for (const dependent of FOUND_BY_AGENT) {
          const column = dependent === 'agent' ? 'id' : 'agent_id'
          await target.execute(`delete from ${escapeIdentifier(dependent)} where ${column} = any ($1)`, [
            forgotten,
          ])
        }
      })
    }
    const last = ids.at(-1)
    if (last === undefined || ids.length < DELETED_AT_ONCE) return
    after = last
  }
}

async function copyGroups(
  { source, target }: Cells,
  table: MoveTable,
  { groups, longest }: TableDifference,
  { tenantId, reseal, onBatch }: SyncOptions,
): Promise<number> {
  const batch = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_CHARACTERS / longest)))
  const texts = table.columns.map((column, place) => `(${column.instead ?? name(column)})::text as c${place}`)
  const insert = insertInto(table)
  let copied = 0
  await source.transaction(async () => {
    await source.execute(
      `declare moved no scroll cursor for select ${texts.join(', ')} from ${rowsOfTenant(table)}
       where ${groupOf(table)} = any ($2)`,
      [tenantId, groups],
    )
    for (;;) {
      const found = await source.rows<Record<string, string | null>>(`fetch ${batch} from moved`)
      if (found.length === 0) return
      const rows = found.map((row) => reseal(table, Object.values(row)))
      const columns = table.columns.map((_, place) => rows.map((row) => row[place] ?? null))
      copied += await target.execute(insert, isByAgent(table) ? [...columns, tenantId] : columns)
      await onBatch?.(table, rows.length)
    }
  }, 'begin isolation level repeatable read read only')
  return copied
}

function insertInto(table: MoveTable): string {
  const columns = table.columns.map((column) => escapeIdentifier(column.name)).join(', ')
  const values = table.columns.map(({ type }, place) => `u.c${place}::${type}`).join(', ')
  const names = table.columns.map((_, place) => `c${place}`).join(', ')
  const given = table.columns.map((_, place) => `$${place + 1}::text[]`).join(', ')
  // Agents stay while they are copied again: see deleteForgotten.
  const change = table.columns.map(
    ({ name: column }) => `${escapeIdentifier(column)} = excluded.${escapeIdentifier(column)}`,
  )
  const conflict = table.name === 'agent' ? `on conflict (id) do update set ${change.join(', ')}` : ''
  return `insert into ${escapeIdentifier(table.name)} (${columns})
    select ${values} from unnest(${given}) as u(${names}) ${ofKnownAgents(table)} ${conflict}`
}

/**
 * An agent that began after the agents were copied comes with the next copy, together with what it has. Without the agent,
 * nobody would find these rows again: if the move is cancelled, they would not be deleted.
 */
function ofKnownAgents(table: MoveTable): string {
  if (!isByAgent(table)) return ''
  const agent = `u.c${table.columns.findIndex(({ name: column }) => column === 'agent_id')}::uuid`
  const tenant = `$${table.columns.length + 1}::uuid`
  return `where ${agent} = ${tenant} or exists (select from agent a where a.id = ${agent} and a.tenant_id = ${tenant})`
}

/** So that all of them are copied again. Only for tables that never have many. */
export async function removeRows(target: MoveConnection, table: MoveTable, tenantId: string): Promise<void> {
  await target.execute(`delete from ${escapeIdentifier(table.name)} where tenant_id = $1`, [tenantId])
}

/** All values of a table that are sealed, with the key of their row, in order. */
export async function* sealedRows(
  connection: MoveConnection,
  table: MoveTable,
  tenantId: string,
): AsyncGenerator<MovedRow> {
  const texts = table.columns.map((column, place) => `${name(column)}::text as c${place}`)
  const key = table.key.map(name).join(', ')
  let after: readonly string[] | undefined
  for (;;) {
    const place = after && `and (${key}) > (${table.key.map((_, at) => keyValue(table, at)).join(', ')})`
    const found: Record<string, string | null>[] = await connection.rows(
      `select ${texts.join(', ')} from ${rowsOfTenant(table)}
       where t.sealed is not null ${place ?? ''} order by ${key} limit ${BATCH_ROWS}`,
      [tenantId, ...(after ?? [])],
    )
    const rows = found.map((row) => Object.values(row))
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < BATCH_ROWS) return
    after = table.key.map((column) => last[table.columns.findIndex((of) => of.name === column)] ?? '')
  }
}

function keyValue(table: MoveTable, at: number): string {
  const type = table.columns.find((column) => column.name === table.key[at])?.type ?? 'text'
  return `$${at + 2}::${type}`
}

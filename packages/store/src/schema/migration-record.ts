import { MigrationError } from './migration-files.ts'
import type { AppliedMigration } from './migration-plan.ts'

export interface Queryable {
  query(sql: string): Promise<{ rows: readonly unknown[] }>
}

/** The highest migration applied; 0 before the first. */
export async function schemaVersion(client: Queryable): Promise<number> {
  return (await readApplied(client)).at(-1)?.number ?? 0
}

export async function createRecord(client: Queryable): Promise<void> {
  await client.query(`
    create table if not exists public.skein_migration (
      number int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
}

export async function readApplied(client: Queryable): Promise<AppliedMigration[]> {
  const table = await client.query(`select 1 where to_regclass('public.skein_migration') is not null`)
  if (table.rows.length === 0) return []
  const { rows } = await client.query(
    'select number, name, checksum from public.skein_migration order by number',
  )
  return rows.map(parseApplied)
}

function parseApplied(row: unknown): AppliedMigration {
  if (row instanceof Object && 'number' in row && 'name' in row && 'checksum' in row) {
    const { number, name, checksum } = row
    if (typeof number === 'number' && typeof name === 'string' && typeof checksum === 'string') {
      return { number, name, checksum }
    }
  }
  throw new MigrationError('The table skein_migration is not ours: number, name or checksum is missing.')
}

import { escapeIdentifier, escapeLiteral } from 'pg'
import { isCheckViolation } from '../database/database-errors.ts'
import type { MoveConnection } from './move-connection.ts'

/** Everybody who uses the table waits as long. */
const LIMIT_MS = 2_500

interface Span {
  readonly parent: string
  readonly name: string
  readonly starts: string
  readonly ends: string
}

/**
 * Gives the target partitions for the days and months of which the source has rows. A cell that is younger than what arrives
 * would have all of it in the default partitions, which maintenance reads from end to end every hour.
 */
export async function addPartitions(
  { source, target }: { readonly source: MoveConnection; readonly target: MoveConnection },
  tenantId: string,
): Promise<void> {
  const plans = await source.rows<{ parent: string; unit: string }>('select parent, unit from partition_plan')
  for (const { parent, unit } of plans) {
    const spans = await source.rows<{ name: string; starts: string; ends: string }>(
      `select partition_name($1::text, s.starts) as name, s.starts::text,
         (s.starts + ('1 ' || $2::text)::interval)::text as ends
       from (
         select to_timestamp(right(c.relname, 8), 'YYYYMMDD') as starts
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = to_regclass(format('public.%I', $1::text)) and c.relname ~ '_[0-9]{8}$'
         union
         select date_trunc($2::text, d.created_at) from ${escapeIdentifier(`${parent}_default`)} d where d.tenant_id = $3
       ) as s order by 1`,
      [parent, unit, tenantId],
    )
    for (const span of spans) await addPartition(target, { parent, ...span })
  }
}

/** Without one, rows go to the default partition: so it is not tried for long. */
async function addPartition(target: MoveConnection, { parent, name, starts, ends }: Span): Promise<void> {
  const known = await target.row<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [
    `public.${escapeIdentifier(name)}`,
  ])
  if (known?.is_there === true) return
  try {
    await target.transaction(async () => {
      await target.execute(`set local lock_timeout = ${LIMIT_MS}`)
      await target.execute(`set local statement_timeout = ${LIMIT_MS}`)
      await target.execute(`select pg_advisory_xact_lock(hashtextextended('skein.maintain_partitions', 0))`)
      await target.execute(
        `create table if not exists public.${escapeIdentifier(name)} partition of public.${escapeIdentifier(parent)}
         for values from (${escapeLiteral(starts)}) to (${escapeLiteral(ends)})`,
      )
      await target.execute(`alter table public.${escapeIdentifier(name)} enable row level security`)
    })
  } catch (error) {
    // The default partition has rows of that time, or somebody uses the table for long.
    if (!isCheckViolation(error) && !isBusy(error)) throw error
  }
}

/** As toSkeinError translates it. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'reason' in error &&
    (error.reason === 'TREE_BUSY' || error.reason === 'DATABASE_BUSY')
  )
}

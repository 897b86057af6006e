import type { ColumnsOfRow, RowOf } from './columns.ts'
import { statement, type Statement } from './statement.ts'

/** Up to here, looking into each workspace costs less than walking past everyone's agents. */
const MAX_PROBED = 64

/** As an object, in which PostgreSQL finds a name by binary search. */
export function asKeys(workspaces: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(workspaces.map((name) => [name, 1])))
}

/**
 * Whether the column is among the keys of the parameter. The planner takes a case to hold for half of the rows; it takes
 * the operator alone to hold for almost none, and then sorts everything instead of walking in order.
 */
export function isAmong(parameter: string): string {
  return `case when ${parameter}::jsonb ? workspace then true end`
}

export function areFew(workspaces: readonly string[]): boolean {
  return workspaces.length <= MAX_PROBED
}

interface ProbeParts {
  /** What to select of each agent, `a`. */
  readonly shown: string
  /** The place in the list after which to begin, as a pair. */
  readonly before: string
  readonly limit: string
  readonly workspaces: string
  /** An array: false for live agents, true for ended ones. */
  readonly ended: string
  /** What else must hold, about `a`. */
  readonly matches: string
}

/**
 * Looks into each workspace by its index and merges what it finds: it never touches what the caller may not see.
 * `between` only steers the planner, which knows no better index if most agents are in one workspace.
 */
export function probeStatement<const Columns extends ColumnsOfRow>(
  name: string,
  { shown, before, limit, workspaces, ended, matches }: ProbeParts,
  columns: Columns,
): Statement<RowOf<Columns>> {
  return statement(
    name,
    `select ${shown} from (
       select part.id, part.created_at
       from unnest(${workspaces}::text[]) as seen(workspace), unnest(${ended}::boolean[]) as phase(ended), lateral (
         select a.id, a.created_at from agent a
         where a.tenant_id = skein_current_tenant() and a.workspace = seen.workspace
           and a.workspace between seen.workspace and seen.workspace and a.is_terminal = phase.ended
           and (a.created_at, a.id) < ${before} and ${matches}
         order by a.created_at desc, a.id desc limit ${limit}) part
       order by part.created_at desc, part.id desc limit ${limit}) found,
       lateral (select * from agent a where a.id = found.id limit 1) a
     order by found.created_at desc, found.id desc`,
    columns,
  )
}

import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const inspect = statement(
  'inspect_server_role',
  `select r.rolname::text as name, r.rolsuper as is_superuser, r.rolbypassrls as bypasses_rls,
     exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where n.nspname = 'public' and c.relkind in ('r', 'p') and pg_has_role(c.relowner, 'usage')) as owns_tables,
     exists (select from pg_roles where rolname = 'skein_server') as has_server_role
   from pg_roles r where r.rolname = current_user`,
  {
    name: 'text',
    is_superuser: 'boolean',
    bypasses_rls: 'boolean',
    owns_tables: 'boolean',
    has_server_role: 'boolean',
  },
)

/**
 * Row-level security applies to neither superusers nor table owners. A server connected as one could return every
 * tenant's rows because of one forgotten condition, so it must not start. Returns what is wrong, if anything.
 */
export async function serverRoleProblem(transaction: Transaction): Promise<string | undefined> {
  const role = await transaction.row(inspect, [])
  if (!role) return 'the database does not report its role'
  if (!role.has_server_role) return 'the role skein_server does not exist: run the migrations first'
  if (role.is_superuser) return `${role.name} is a superuser`
  if (role.bypasses_rls) return `${role.name} has BYPASSRLS`
  if (role.owns_tables) return `${role.name} owns Skein's tables`
  return undefined
}

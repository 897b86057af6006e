import type { TeamMember } from '@skein/core'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const isDivided = statement(
  'team_is_divided',
  `select exists (select from workspace_team where tenant_id = skein_current_tenant())
     or exists (select from resource
       where tenant_id = skein_current_tenant() and kind = 'team' and document is not null) as divided`,
  { divided: 'boolean' },
)

/** Deleted workspaces too: their agents can still be listed. */
const workspaces = statement(
  'team_workspaces',
  `select r.name as workspace, coalesce((select t.team from workspace_team t
     where t.tenant_id = skein_current_tenant() and t.workspace = r.name), '') as team
   from resource r where r.tenant_id = skein_current_tenant() and r.kind = 'workspace'`,
  { workspace: 'text', team: 'text' },
)

const assign = statement(
  'workspace_team_put',
  `insert into workspace_team (tenant_id, workspace, team) values (skein_current_tenant(), $1, $2)
   on conflict (tenant_id, workspace) do update set team = excluded.team`,
)

const release = statement(
  'workspace_team_drop',
  'delete from workspace_team where tenant_id = skein_current_tenant() and workspace = $1',
)

const dropMembers = statement(
  'team_member_drop',
  'delete from team_member where tenant_id = skein_current_tenant() and team = $1',
)

const addMembers = statement(
  'team_member_add',
  `insert into team_member (tenant_id, team, owner_provider, account, role)
   select skein_current_tenant(), $1, added.owner_provider, added.account, added.role
   from unnest($2::text[], $3::text[], $4::text[]) as added(owner_provider, account, role)`,
)

/** What the documents say about teams, for the transaction's tenant. */
export class TeamStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Every workspace with its team, empty if it has none; undefined for a tenant without teams. */
  async teamOfWorkspaces(): Promise<ReadonlyMap<string, string> | undefined> {
    const row = await this.#transaction.row(isDivided, [])
    if (row?.divided !== true) return undefined
    const rows = await this.#transaction.rows(workspaces, [])
    return new Map(rows.map(({ workspace, team }) => [workspace, team]))
  }

  /** An empty team means that the workspace is everyone's. */
  async assign(workspace: string, team: string): Promise<void> {
    if (team === '') await this.#transaction.execute(release, [workspace])
    else await this.#transaction.execute(assign, [workspace, team])
  }

  async setMembers(team: string, members: readonly TeamMember[]): Promise<void> {
    await this.#transaction.execute(dropMembers, [team])
    if (members.length === 0) return
    await this.#transaction.execute(addMembers, [
      team,
      members.map(({ ownerProvider }) => ownerProvider),
      members.map(({ account }) => account),
      members.map(({ role }) => role),
    ])
  }
}

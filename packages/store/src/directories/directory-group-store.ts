import type { ScimGroup, TeamByGroup } from '@skein/core'
import type { RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'
import { DirectoryEntryStore, directoryTable, nameKey } from './directory-entry-store.ts'

const GROUP = {
  id: 'uuid',
  display_name: 'text',
  external_id: 'text?',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

const TABLE = directoryTable('directory_group', 'display_name_key', GROUP, toGroup)

const members = statement(
  'directory_member_list',
  `select m.user_id, u.user_name from directory_member m
   join directory_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
   where m.tenant_id = skein_current_tenant() and m.group_id = $1
   order by m.user_id limit $2`,
  { user_id: 'uuid', user_name: 'text' },
)

const memberIds = statement(
  'directory_member_ids',
  'select user_id from directory_member where tenant_id = skein_current_tenant() and group_id = $1',
  { user_id: 'uuid' },
)

const hasMember = statement(
  'directory_member_find',
  `select user_id from directory_member
   where tenant_id = skein_current_tenant() and group_id = $1 and user_id = $2`,
  { user_id: 'uuid' },
)

const insert = statement(
  'directory_group_insert',
  `insert into directory_group (tenant_id, id, directory, display_name, display_name_key, external_id, created_at, updated_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $6)`,
)

const update = statement(
  'directory_group_update',
  `update directory_group set display_name = $2, display_name_key = $3, external_id = $4, updated_at = $5
   where tenant_id = skein_current_tenant() and id = $1`,
)

const addMembers = statement(
  'directory_member_add',
  `insert into directory_member (tenant_id, group_id, user_id)
   select skein_current_tenant(), $1, added.id from unnest($2::uuid[]) as added(id) on conflict do nothing`,
)

const dropMembers = statement(
  'directory_member_drop',
  'delete from directory_member where tenant_id = skein_current_tenant() and group_id = $1 and user_id = any($2)',
)

const dropAllMembers = statement(
  'directory_member_drop_of_group',
  'delete from directory_member where tenant_id = skein_current_tenant() and group_id = $1',
)

const remove = statement(
  'directory_group_delete',
  'delete from directory_group where tenant_id = skein_current_tenant() and id = $1',
)

/** The teams that the groups of these users give them now. Of two roles in a team, the one that allows more counts. */
const assignTeams = statement(
  'directory_assign_teams',
  `update api_key k set directory_teams = coalesce((
     select jsonb_object_agg(held.team, held.role) from (
       select distinct on (given.team) given.team, given.role
       from directory_member m
       join directory_group g on g.tenant_id = m.tenant_id and g.id = m.group_id
       join unnest($2::text[], $3::text[], $4::text[]) as given(value, team, role) on given.value = g.display_name
       where m.tenant_id = skein_current_tenant() and m.user_id = p.directory_user
       order by given.team, array_position(array['lead', 'member', 'viewer'], given.role)
     ) held), '{}')
   from person p
   where p.tenant_id = skein_current_tenant() and p.directory_user = any($1)
     and k.tenant_id = skein_current_tenant() and k.key_id = p.key_id`,
)

/** Their sessions stand for these keys. Nothing that is just being opened for one outlives it. */
const revokeKeys = statement(
  'directory_revoke_keys',
  `update api_key set revoked_at = $2
   where tenant_id = skein_current_tenant() and revoked_at is null and key_id = any(array(
     select p.key_id from person p where p.tenant_id = skein_current_tenant() and p.directory_user = any($1)))`,
)

export interface DirectoryGroup extends ScimGroup {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface DirectoryMember {
  readonly userId: string
  readonly userName: string
}

/** Groups of one directory of the transaction's tenant. */
export class DirectoryGroupStore extends DirectoryEntryStore<typeof GROUP, DirectoryGroup> {
  constructor(transaction: Transaction, directory: string) {
    super(transaction, directory, TABLE)
  }

  async members(groupId: string, limit: number): Promise<DirectoryMember[]> {
    const rows = await this.transaction.rows(members, [groupId, limit])
    return rows.map((row) => ({ userId: row.user_id, userName: row.user_name }))
  }

  async memberIds(groupId: string): Promise<ReadonlySet<string>> {
    const rows = await this.transaction.rows(memberIds, [groupId])
    return new Set(rows.map((row) => row.user_id))
  }

  async hasMember(groupId: string, userId: string): Promise<boolean> {
    return (await this.transaction.row(hasMember, [groupId, userId])) !== undefined
  }

  async add(id: string, group: ScimGroup, at: number): Promise<void> {
    await this.transaction.execute(insert, [id, this.directory, ...valuesOf(group), new Date(at)])
  }

  async update(id: string, group: ScimGroup, at: number): Promise<void> {
    await this.transaction.execute(update, [id, ...valuesOf(group), new Date(at)])
  }

  async addMembers(groupId: string, userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0) await this.transaction.execute(addMembers, [groupId, userIds])
  }

  async dropMembers(groupId: string, userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0) await this.transaction.execute(dropMembers, [groupId, userIds])
  }

  async delete(id: string): Promise<void> {
    await this.transaction.execute(dropAllMembers, [id])
    await this.transaction.execute(remove, [id])
  }

  /** Writes the teams of these users to the keys that their sessions stand for. */
  async assignTeams(userIds: readonly string[], teams: readonly TeamByGroup[]): Promise<void> {
    if (userIds.length === 0) return
    await this.transaction.execute(assignTeams, [
      userIds,
      teams.map(({ value }) => value),
      teams.map(({ team }) => team),
      teams.map(({ role }) => role),
    ])
  }

  /** Ends all sessions of these users. They get another key when they sign in again. */
  async endSessions(userIds: readonly string[], at: number): Promise<void> {
    if (userIds.length > 0) await this.transaction.execute(revokeKeys, [userIds, new Date(at)])
  }
}

function valuesOf({ displayName, externalId }: ScimGroup): unknown[] {
  return [displayName, nameKey(displayName), externalId === '' ? null : externalId]
}

function toGroup(row: RowOf<typeof GROUP>): DirectoryGroup {
  return {
    id: row.id,
    displayName: row.display_name,
    externalId: row.external_id ?? '',
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  }
}

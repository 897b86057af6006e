import type { ScimUser } from '@skein/core'
import type { RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'
import { DirectoryEntryStore, directoryTable, nameKey } from './directory-entry-store.ts'

const USER = {
  id: 'uuid',
  user_name: 'text',
  external_id: 'text?',
  active: 'boolean',
  display_name: 'text',
  given_name: 'text',
  family_name: 'text',
  email: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

const TABLE = directoryTable('directory_user', 'user_name_key', USER, toUser)

const existing = statement(
  'directory_user_existing',
  `select id from directory_user
   where tenant_id = skein_current_tenant() and id = any($2) and directory = $1`,
  { id: 'uuid' },
)

const groupNames = statement(
  'directory_user_group_names',
  `select g.display_name from directory_member m
   join directory_group g on g.tenant_id = m.tenant_id and g.id = m.group_id
   where m.tenant_id = skein_current_tenant() and m.user_id = $1 order by g.display_name, g.id limit 1000`,
  { display_name: 'text' },
)

const insert = statement(
  'directory_user_insert',
  `insert into directory_user (tenant_id, id, directory, user_name, user_name_key, external_id, active, display_name,
     given_name, family_name, email, created_at, updated_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
)

const update = statement(
  'directory_user_update',
  `update directory_user set user_name = $2, user_name_key = $3, external_id = $4, active = $5, display_name = $6,
     given_name = $7, family_name = $8, email = $9, updated_at = $10
   where tenant_id = skein_current_tenant() and id = $1`,
)

const leaveGroups = statement(
  'directory_member_drop_of_user',
  'delete from directory_member where tenant_id = skein_current_tenant() and user_id = $1',
)

const remove = statement(
  'directory_user_delete',
  'delete from directory_user where tenant_id = skein_current_tenant() and id = $1',
)

export interface DirectoryUser extends ScimUser {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Users of one directory of the transaction's tenant. */
export class DirectoryUserStore extends DirectoryEntryStore<typeof USER, DirectoryUser> {
  constructor(transaction: Transaction, directory: string) {
    super(transaction, directory, TABLE)
  }

  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.transaction.rows(existing, [this.directory, ids])
    return new Set(rows.map(({ id }) => id))
  }

  /** The names of the user's groups. */
  async groupsOf(id: string): Promise<string[]> {
    const rows = await this.transaction.rows(groupNames, [id])
    return rows.map((row) => row.display_name)
  }

  async add(id: string, user: ScimUser, at: number): Promise<void> {
    await this.transaction.execute(insert, [id, this.directory, ...valuesOf(user), new Date(at)])
  }

  async update(id: string, user: ScimUser, at: number): Promise<void> {
    await this.transaction.execute(update, [id, ...valuesOf(user), new Date(at)])
  }

  async delete(id: string): Promise<void> {
    await this.transaction.execute(leaveGroups, [id])
    await this.transaction.execute(remove, [id])
  }
}

function valuesOf(user: ScimUser): unknown[] {
  const { userName, externalId, active, displayName, givenName, familyName, email } = user
  // Users without an external id are not the same user.
  const known = externalId === '' ? null : externalId
  return [userName, nameKey(userName), known, active, displayName, givenName, familyName, email]
}

function toUser(row: RowOf<typeof USER>): DirectoryUser {
  return {
    id: row.id,
    userName: row.user_name,
    externalId: row.external_id ?? '',
    active: row.active,
    displayName: row.display_name,
    givenName: row.given_name,
    familyName: row.family_name,
    email: row.email,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  }
}

import type { Document, KeyGrant, ResourceRef } from '@skein/core'
import { KEY, toKeyRecord, type KeyRecord } from './key-record.ts'
import type { Transaction } from '../database/transaction.ts'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import { toTimestamp } from '../database/timestamp.ts'

const authenticate = statement(
  'authenticate_key',
  'select k.*, authenticate_teams(k.key_id) as teams, tenant_hold(k.tenant_id) as hold from authenticate_key($1) k',
  KEY,
)
const authenticateShare = statement(
  'authenticate_share',
  'select k.*, null::json as teams, tenant_hold(k.tenant_id) as hold, authenticate_share(k.key_id) as document from authenticate_key($1) k',
  { ...KEY, document: meant<Document | null>('json?') },
)

const insert = statement(
  'api_key_insert',
  `insert into api_key (key_id, tenant_id, prefix, kind, name, key_version, secret_sha256, owner_provider,
     account, role, pools, all_tenants, expires_at, revoked_at, created_at)
   values ($1, skein_current_tenant(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
)

const updateGrants = statement(
  'api_key_update_grants',
  `update api_key set owner_provider = $3, account = $4, role = $5, pools = $6, all_tenants = $10,
     expires_at = case when key_version = $7 then $8::timestamptz else least(expires_at, $8::timestamptz) end,
     revoked_at = coalesce(revoked_at, $9::timestamptz)
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2`,
)

const setPerson = statement(
  'api_key_set_person',
  `update api_key set role = $2, claimed_teams = $3, directory_teams = $4
   where tenant_id = skein_current_tenant() and key_id = $1
     and (role <> $2 or claimed_teams <> $3 or directory_teams <> $4)`,
)

const expire = statement(
  'api_key_expire',
  `update api_key set expires_at = least(expires_at, $3::timestamptz)
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2`,
)

const revoke = statement(
  'api_key_revoke',
  `update api_key set revoked_at = coalesce(revoked_at, $3::timestamptz)
   where tenant_id = skein_current_tenant() and kind = $1 and name = $2`,
)

const revokeOfAccount = statement(
  'api_key_revoke_of_account',
  `update api_key set revoked_at = $3
   where tenant_id = skein_current_tenant() and owner_provider = $1 and account = $2 and revoked_at is null`,
)

const resourcesOfAccount = statement(
  'api_key_resources_of_account',
  `select kind, name from api_key
   where tenant_id = skein_current_tenant() and owner_provider = $1 and account = $2
     and kind in ('token', 'share-link')
   group by kind, name having bool_and(revoked_at is not null)
   order by kind, name`,
  { kind: 'text', name: 'text' },
)

const admins = statement(
  'api_key_admins',
  `select coalesce(bool_or(is_own), false) as own, coalesce(bool_or(not is_own), false) as others from (
     select (owner_provider, account) in (select * from unnest($1::text[], $2::text[])) as is_own from api_key
     where tenant_id = skein_current_tenant() and role in ('admin', 'operator')
       and revoked_at is null and (expires_at is null or expires_at > $3)) k`,
  { own: 'boolean', others: 'boolean' },
)

/** Works without a tenant: the key identifies it. */
export async function findKey(transaction: Transaction, keyId: string): Promise<KeyRecord | undefined> {
  const row = await transaction.row(authenticate, [keyId])
  return row && toKeyRecord(row)
}

/** A share link's key, and what the link shows. */
export interface ShareRecord extends KeyRecord {
  readonly document: Document
}

export async function findShare(transaction: Transaction, keyId: string): Promise<ShareRecord | undefined> {
  const row = await transaction.row(authenticateShare, [keyId])
  return row?.document ? { ...toKeyRecord(row), document: row.document } : undefined
}

interface KeyOwner {
  readonly ownerProvider: string
  readonly account: string
}

interface PersonRights {
  readonly role: string
  /** From team to role, by the claims of the sign-in. */
  readonly teams: Readonly<Record<string, string>>
  /** Likewise, by the groups of a directory. */
  readonly directoryTeams: Readonly<Record<string, string>>
}

export interface NewKey {
  readonly keyId: string
  readonly prefix: string
  readonly secretSha256: Uint8Array
}

/** Keys of the tokens and share links of the transaction's tenant. */
export class KeyStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(owner: ResourceRef, key: NewKey, grant: KeyGrant, at: number): Promise<void> {
    await this.#transaction.execute(insert, [
      key.keyId,
      key.prefix,
      owner.kind,
      owner.name,
      grant.keyVersion,
      key.secretSha256,
      grant.ownerProvider,
      grant.account,
      grant.role,
      grant.pools,
      grant.allTenants,
      toTimestamp(grant.expiresAt),
      grant.revoked ? new Date(at) : null,
      new Date(at),
    ])
  }

  /** Keys from before a rotation keep the expiry it set, unless the token itself expires sooner. */
  async updateGrants({ kind, name }: ResourceRef, grant: KeyGrant, at: number): Promise<void> {
    await this.#transaction.execute(updateGrants, [
      kind,
      name,
      grant.ownerProvider,
      grant.account,
      grant.role,
      grant.pools,
      grant.keyVersion,
      toTimestamp(grant.expiresAt),
      grant.revoked ? new Date(at) : null,
      grant.allTenants,
    ])
  }

  /** Of a person, who may have got another role or other teams since. */
  async setPerson(keyId: string, { role, teams, directoryTeams }: PersonRights): Promise<void> {
    const given = [JSON.stringify(teams), JSON.stringify(directoryTeams)]
    await this.#transaction.execute(setPerson, [keyId, role, ...given])
  }

  /** Of a person, with all other keys of the account. Returns how many. */
  async revokeOfAccount({ ownerProvider, account }: KeyOwner, at: number): Promise<number> {
    return this.#transaction.execute(revokeOfAccount, [ownerProvider, account, new Date(at)])
  }

  /** Tokens and share links of the account that have no valid key. */
  async resourcesOfAccount({ ownerProvider, account }: KeyOwner): Promise<ResourceRef[]> {
    return this.#transaction.rows(resourcesOfAccount, [ownerProvider, account])
  }

  /** Whether one of the accounts can administer the tenant, and nobody else can. */
  async areLastAdmins(owners: readonly KeyOwner[], at: number): Promise<boolean> {
    const providers = owners.map(({ ownerProvider }) => ownerProvider)
    const accounts = owners.map(({ account }) => account)
    const row = await this.#transaction.row(admins, [providers, accounts, new Date(at)])
    return row !== undefined && row.own && !row.others
  }

  async expireAll({ kind, name }: ResourceRef, at: number): Promise<void> {
    await this.#transaction.execute(expire, [kind, name, new Date(at)])
  }

  async revokeAll({ kind, name }: ResourceRef, at: number): Promise<void> {
    await this.#transaction.execute(revoke, [kind, name, new Date(at)])
  }
}

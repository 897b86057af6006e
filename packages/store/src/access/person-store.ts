import type { Tenant } from '@skein/contract'
import type { Document } from '@skein/core'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const offered = statement('sign_in_providers', 'select * from sign_in_providers($1)', {
  tenant_provider: meant<Tenant['provider']>('text'),
  tenant_org: 'text',
  name: 'text',
  document: meant<Document>('json'),
})

/**
 * Servers of an older build take 4 alone, which is also the lock of `wait_for_turn`. Shared, it excludes those servers,
 * but not who queues a run.
 */
const lock = statement(
  'person_lock',
  `select pg_advisory_xact_lock_shared(hashtextextended(skein_current_tenant()::text, 4)),
     pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text, 6))`,
)

const find = statement(
  'person_find',
  `select p.account, p.key_id, p.deactivated_at is not null as is_deactivated, exists (select from person o
     where o.tenant_id = skein_current_tenant() and o.link_id = p.link_id and o.key_id <> p.key_id
       and o.deactivated_at is not null) as is_linked_to_leaver
   from person p
   where p.tenant_id = skein_current_tenant() and p.identity_provider = $1 and p.issuer = $2 and p.subject = $3`,
  { account: 'text', key_id: 'text', is_deactivated: 'boolean', is_linked_to_leaver: 'boolean' },
)

const findListed = statement(
  'person_find_listed',
  `select owner_provider, account from person where tenant_id = skein_current_tenant() and directory_user = any($1)`,
  { owner_provider: 'text', account: 'text' },
)

/** Those who signed in before the directory listed them. */
const link = statement(
  'person_link',
  `update person set directory_user = $2
   where tenant_id = skein_current_tenant() and identity_provider = $1 and directory_user is null
     and (directory_value = $3 or (directory_value is null and $4::text is not null and issuer = $4 and subject = $3))`,
)

const activate = statement(
  'person_activate',
  `update person set deactivated_at = null
   where tenant_id = skein_current_tenant() and directory_user = $1 and deactivated_at is not null
     and (directory_value is null or directory_value = $2)`,
)

const deactivate = statement(
  'person_deactivate',
  `update person set deactivated_at = $2
   where tenant_id = skein_current_tenant() and directory_user = $1 and deactivated_at is null
   returning owner_provider, account`,
  { owner_provider: 'text', account: 'text' },
)

const unlist = statement(
  'person_unlist',
  `update person set directory_user = null
   where tenant_id = skein_current_tenant() and identity_provider = $1 and directory_user is not null`,
)

const dropTeams = statement(
  'person_drop_directory_teams',
  `update api_key set directory_teams = '{}'
   where tenant_id = skein_current_tenant() and kind = 'identity-provider' and name = $1 and directory_teams <> '{}'`,
)

const unlink = statement(
  'person_unlink',
  'update person set directory_user = null where tenant_id = skein_current_tenant() and directory_user = $1',
)

const taken = statement(
  'person_taken_accounts',
  `select account from person
   where tenant_id = skein_current_tenant() and owner_provider = $1 and account = any($2)
   union all
   select account from api_key
   where tenant_id = skein_current_tenant() and owner_provider = $1 and account = any($2) and kind = any($3)`,
  { account: 'text' },
)

const save = statement(
  'person_save',
  `insert into person (tenant_id, identity_provider, issuer, subject, account, key_id, created_at, signed_in_at,
     owner_provider, directory_user, directory_value)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $6, $7, $8, $9)
   on conflict (tenant_id, identity_provider, issuer, subject)
   do update set key_id = excluded.key_id, signed_in_at = excluded.signed_in_at,
     directory_user = excluded.directory_user, directory_value = excluded.directory_value,
     deactivated_at = case when excluded.directory_user is null then person.deactivated_at end`,
)

const finish = statement(
  'finished_sign_in_insert',
  `insert into finished_sign_in (tenant_id, state_sha256, expires_at)
   values (skein_current_tenant(), $1, $2) on conflict (state_sha256) do nothing`,
)

/** What the sign-in page offers. */
export interface OfferedProvider {
  readonly tenant: Tenant
  readonly name: string
  readonly document: Document
}

/** Works without a tenant: nobody has signed in yet. */
export async function findSignInProviders(transaction: Transaction, org: string): Promise<OfferedProvider[]> {
  const rows = await transaction.rows(offered, [org])
  return rows.map((row) => ({
    tenant: { provider: row.tenant_provider, org: row.tenant_org },
    name: row.name,
    document: row.document,
  }))
}

/** A person is a subject of an issuer. */
export interface PersonRef {
  readonly identityProvider: string
  readonly issuer: string
  readonly subject: string
}

interface AccountOwner {
  readonly ownerProvider: string
  readonly account: string
}

interface KnownPerson {
  readonly account: string
  readonly keyId: string
  /** Whether a directory says that they have left. */
  readonly isDeactivated: boolean
  /** Whether a directory says so of an account that is linked to theirs. */
  readonly isLinkedToLeaver: boolean
}

/** How a directory knows a person. */
export interface Listing {
  /** Undefined if it does not list them. */
  readonly userId?: string | undefined
  /** What it would recognise them by. */
  readonly value?: string | undefined
}

interface SavedPerson {
  readonly ownerProvider: string
  readonly account: string
  readonly keyId: string
  readonly at: number
  readonly listed: Listing
}

/** People of the transaction's tenant who signed in with an identity provider. */
export class PersonStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** So that two who sign in for the first time cannot get the same account. */
  async lock(): Promise<void> {
    await this.#transaction.execute(lock, [])
  }

  async find({ identityProvider, issuer, subject }: PersonRef): Promise<KnownPerson | undefined> {
    const row = await this.#transaction.row(find, [identityProvider, issuer, subject])
    return (
      row && {
        account: row.account,
        keyId: row.key_id,
        isDeactivated: row.is_deactivated,
        isLinkedToLeaver: row.is_linked_to_leaver,
      }
    )
  }

  /** The accounts of people who are these users of a directory. */
  async findListed(userIds: readonly string[]): Promise<AccountOwner[]> {
    const rows = await this.#transaction.rows(findListed, [userIds])
    return rows.map(toOwner)
  }

  /** Recognises people who signed in before the directory listed them. */
  async link(
    identityProvider: string,
    userId: string,
    { value, issuer }: { readonly value: string; readonly issuer: string | undefined },
  ): Promise<void> {
    await this.#transaction.execute(link, [identityProvider, userId, value, issuer ?? null])
  }

  /** Only who is recognised by this value: the user may have been somebody else before. */
  async activate(userId: string, value: string): Promise<void> {
    await this.#transaction.execute(activate, [userId, value])
  }

  /** Returns the accounts of those who were active. */
  async deactivate(userId: string, at: number): Promise<AccountOwner[]> {
    const rows = await this.#transaction.rows(deactivate, [userId, new Date(at)])
    return rows.map(toOwner)
  }

  /** What a directory said about the people of a provider, once it is gone. */
  async unlist(identityProvider: string): Promise<void> {
    await this.#transaction.execute(unlist, [identityProvider])
    await this.#transaction.execute(dropTeams, [identityProvider])
  }

  async unlink(userId: string): Promise<void> {
    await this.#transaction.execute(unlink, [userId])
  }

  /** Those of other people, and of keys of these kinds. */
  async takenAccounts(
    ownerProvider: string,
    accounts: readonly string[],
    kinds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rows = await this.#transaction.rows(taken, [ownerProvider, accounts, kinds])
    return new Set(rows.map(({ account }) => account))
  }

  async save(
    { identityProvider, issuer, subject }: PersonRef,
    { ownerProvider, account, keyId, at, listed }: SavedPerson,
  ): Promise<void> {
    const ref = [identityProvider, issuer, subject]
    const { userId = null, value = null } = listed
    const owned = [account, keyId, new Date(at), ownerProvider]
    await this.#transaction.execute(save, [...ref, ...owned, userId, value])
  }

  /** False if it was finished before. */
  async finish(stateSha256: Uint8Array, expiresAt: number): Promise<boolean> {
    return (await this.#transaction.execute(finish, [stateSha256, new Date(expiresAt)])) === 1
  }
}

function toOwner(row: { readonly owner_provider: string; readonly account: string }): AccountOwner {
  return { ownerProvider: row.owner_provider, account: row.account }
}

import { statement, type Statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'
import { PersonGrantStore } from './person-grant-store.ts'
import { lockAccount, OF_ACCOUNT, type SessionOwner } from './session-account.ts'

const ENDED = { key_id: 'text' } as const

const revoke = statement(
  'browser_session_revoke',
  `update browser_session set revoked_at = $2
   where tenant_id = skein_current_tenant() and id = $1 and revoked_at is null
   returning key_id`,
  ENDED,
)

/** A token can have several keys; people of one identity provider have different accounts. */
const revokeLike = statement(
  'browser_session_revoke_like',
  `update browser_session set revoked_at = $2
   where tenant_id = skein_current_tenant() and revoked_at is null and key_id = any(array(
     select k.key_id from api_key own join api_key k
       on k.tenant_id = own.tenant_id and k.kind = own.kind and k.name = own.name and k.account = own.account
     where own.tenant_id = skein_current_tenant() and own.key_id = $1))
   returning key_id`,
  ENDED,
)

const revokeOfProviders = statement(
  'browser_session_revoke_of_providers',
  `update browser_session set revoked_at = $2
   where id = any(array(select s.id from browser_session s
     where s.tenant_id = skein_current_tenant() and s.revoked_at is null and s.key_id = any(array(
       select k.key_id from api_key k
       where k.tenant_id = skein_current_tenant() and k.kind = 'identity-provider' and k.name = any($1)))
     limit $3))
   returning key_id`,
  ENDED,
)

/** A statement ends half a minute after it began, and 100,000 sessions take ten seconds. */
const REVOKED_AT_ONCE = 10_000

const ofSubject = statement(
  'browser_session_keys_of_subject',
  `select k.key_id, k.owner_provider, k.account from api_key k
   where k.tenant_id = skein_current_tenant() and k.key_id = any(array(
     select p.key_id from person p where p.tenant_id = skein_current_tenant()
       and p.identity_provider = $1 and p.issuer = $2 and p.subject = $3))`,
  { key_id: 'text', owner_provider: 'text', account: 'text' },
)

/** Arrays, because a join that was planned while the tables were empty would read every session. */
const ofProviderSession = statement(
  'browser_session_keys_of_provider_session',
  `with found as materialized (
     select s.key_id from browser_session s
     where s.tenant_id = skein_current_tenant() and s.provider_session = $3 and s.revoked_at is null
       and coalesce(s.signed_in_at, s.created_at) <= $4)
   select k.key_id, k.owner_provider, k.account from api_key k
   where k.tenant_id = skein_current_tenant() and k.key_id = any(array(
     select p.key_id from person p
     where p.tenant_id = skein_current_tenant() and p.key_id = any(array(select f.key_id from found f))
       and p.identity_provider = $1 and p.issuer = $2 and ($6::text is null or p.subject = $6)))
   order by k.owner_provider, k.account, k.key_id limit $5`,
  { key_id: 'text', owner_provider: 'text', account: 'text' },
)

const revokeOfKeys = statement(
  'browser_session_revoke_of_keys',
  `update browser_session set revoked_at = $4
   where tenant_id = skein_current_tenant() and revoked_at is null and key_id = any($1)
     and coalesce(signed_in_at, created_at) <= $2 and ($3::text is null or provider_session = $3)
   returning key_id`,
  ENDED,
)

const revokeOfAccounts = statement(
  'browser_session_revoke_of_accounts',
  `update browser_session set revoked_at = $3
   where tenant_id = skein_current_tenant() and revoked_at is null and key_id = any(array(
     select a.key_id from unnest($1::text[], $2::text[]) w (owner_provider, account) join api_key a
       on a.tenant_id = skein_current_tenant() and a.owner_provider = w.owner_provider and a.account = w.account))
   returning key_id`,
  ENDED,
)

const end = statement(
  'browser_session_end',
  `update browser_session set revoked_at = $3
   where id = any(array(select s.id ${OF_ACCOUNT} and s.id = $4 and s.revoked_at is null and s.expires_at > $3))
   returning key_id`,
  ENDED,
)

/** What an identity provider ends. */
interface EndedAtProvider {
  readonly identityProvider: string
  readonly issuer: string
  /** Undefined for everyone's, if a session is named. */
  readonly subject: string | undefined
  /** Undefined for all of the person. */
  readonly providerSession: string | undefined
  /** Sessions that were opened later stay, but not those of command lines that an earlier one confirmed. */
  readonly openedUntil: number
}

/** Ends sessions of the transaction's tenant. With a person's last session, the grant to act for them is let go. */
export class SessionEndStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** False if the session has ended or belongs to another account. */
  async end({ ownerProvider, account }: SessionOwner, id: string, at: number): Promise<boolean> {
    return (await this.#end(end, [ownerProvider, account, new Date(at), id], at)) > 0
  }

  async revoke(id: string, at: number): Promise<void> {
    await this.#end(revoke, [id, new Date(at)], at)
  }

  /** All sessions of the same token or person. */
  async revokeLike({ ownerProvider, account }: SessionOwner, keyId: string, at: number): Promise<void> {
    // A command line that is being confirmed meanwhile has its session before or not at all.
    await this.#lock([{ ownerProvider, account }])
    await this.#end(revokeLike, [keyId, new Date(at)], at)
  }

  /** All sessions of the accounts, of whatever key. */
  async revokeOfAccounts(owners: readonly SessionOwner[], at: number): Promise<void> {
    // First, as `keepNewest` does: the other order could deadlock with it.
    await this.#lock(owners)
    const values = [owners.map(({ ownerProvider }) => ownerProvider), owners.map(({ account }) => account)]
    await this.#end(revokeOfAccounts, [...values, new Date(at)], at)
  }

  /** Everyone who signed in with one of the identity providers. */
  async revokeOfProviders(names: readonly string[], at: number): Promise<void> {
    const keyIds = new Set<string>()
    let amount = REVOKED_AT_ONCE
    while (amount === REVOKED_AT_ONCE) {
      const ended = await this.#transaction.rows(revokeOfProviders, [names, new Date(at), REVOKED_AT_ONCE])
      for (const { key_id: keyId } of ended) keyIds.add(keyId)
      amount = ended.length
    }
    await this.#letGo([...keyIds], at)
  }

  /** Of at most so many people; 0 when there are no more. */
  async revokeOfPerson(ended: EndedAtProvider, at: number, most: number): Promise<number> {
    const { identityProvider, issuer, subject, providerSession, openedUntil } = ended
    const until = new Date(openedUntil)
    const keys =
      providerSession === undefined
        ? await this.#transaction.rows(ofSubject, [identityProvider, issuer, subject ?? ''])
        : await this.#transaction.rows(ofProviderSession, [
            identityProvider,
            issuer,
            providerSession,
            until,
            most,
            subject ?? null,
          ])
    await this.#lock(keys.map((key) => ({ ownerProvider: key.owner_provider, account: key.account })))
    const keyIds = keys.map(({ key_id: keyId }) => keyId)
    return this.#end(revokeOfKeys, [keyIds, until, providerSession ?? null, new Date(at)], at)
  }

  /** Always in the same order, so that two transactions that lock several accounts cannot deadlock. */
  async #lock(owners: readonly SessionOwner[]): Promise<void> {
    for (const { ownerProvider, account } of owners.toSorted(inOneOrder))
      await this.#transaction.execute(lockAccount, [ownerProvider, account])
  }

  /** All sessions first, then all grants: transactions that took them in another order could deadlock. */
  async #end(query: Statement<{ key_id: string }>, values: readonly unknown[], at: number): Promise<number> {
    const ended = await this.#transaction.rows(query, values)
    await this.#letGo([...new Set(ended.map(({ key_id: keyId }) => keyId))], at)
    return ended.length
  }

  async #letGo(keyIds: readonly string[], at: number): Promise<void> {
    if (keyIds.length > 0) await new PersonGrantStore(this.#transaction).letGo(keyIds, at)
  }
}

function inOneOrder(one: SessionOwner, other: SessionOwner): number {
  return nameOf(one) < nameOf(other) ? -1 : 1
}

function nameOf({ ownerProvider, account }: SessionOwner): string {
  return `${ownerProvider}/${account}`
}

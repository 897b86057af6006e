import type { Provider } from '@skein/contract'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'
import type { PersonRef } from './person-store.ts'

const PERSON = {
  identity_provider: 'text',
  issuer: 'text',
  subject: 'text',
  owner_provider: meant<Provider>('text'),
  account: 'text',
  key_id: 'text',
  link_id: 'uuid?',
  linked_at: 'timestamptz?',
  has_grant: 'boolean',
} as const

const SELECTED = `select p.identity_provider, p.issuer, p.subject, p.owner_provider, p.account, p.key_id, p.link_id,
     p.linked_at, exists (select from person_grant g where g.tenant_id = skein_current_tenant()
       and g.identity_provider = p.identity_provider and g.issuer = p.issuer and g.subject = p.subject) as has_grant
   from person p where p.tenant_id = skein_current_tenant()`

const ofPerson = statement(
  'person_link_of_person',
  `${SELECTED} and p.identity_provider = $1 and p.issuer = $2 and p.subject = $3`,
  PERSON,
)

const ofKey = statement('person_link_of_key', `${SELECTED} and p.key_id = $1`, PERSON)

const ofAccount = statement(
  'person_link_of_account',
  `${SELECTED} and p.owner_provider = $1 and p.account = $2`,
  PERSON,
)

const members = statement(
  'person_link_members',
  `${SELECTED} and p.link_id = $1 order by p.identity_provider, p.issuer, p.subject`,
  PERSON,
)

const join = statement(
  'person_link_join',
  `update person set link_id = $4, linked_at = $5
   where tenant_id = skein_current_tenant() and identity_provider = $1 and issuer = $2 and subject = $3
     and link_id is null`,
)

const leave = statement(
  'person_link_leave',
  `update person set link_id = null, linked_at = null
   where tenant_id = skein_current_tenant() and identity_provider = $1 and issuer = $2 and subject = $3`,
)

const linkedToListed = statement(
  'person_link_of_directory_user',
  `select p.owner_provider, p.account, p.key_id from person p
   where p.tenant_id = skein_current_tenant() and p.directory_user is distinct from $1
     and p.link_id = any(array(select o.link_id from person o
       where o.tenant_id = skein_current_tenant() and o.directory_user = $1 and o.link_id is not null))`,
  { owner_provider: 'text', account: 'text', key_id: 'text' },
)

/** An account of a person, and what it is linked to. */
export interface LinkedPerson extends PersonRef {
  readonly ownerProvider: Provider
  readonly account: string
  readonly keyId: string
  /** The same for all accounts of the person. */
  readonly linkId: string | undefined
  readonly linkedAt: number | undefined
  /** Whether something lets us act for the person there. */
  readonly hasGrant: boolean
}

/** Accounts of the transaction's tenant that belong to one person. Take the lock of PersonStore before a change. */
export class PersonLinkStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async ofPerson({ identityProvider, issuer, subject }: PersonRef): Promise<LinkedPerson | undefined> {
    const row = await this.#transaction.row(ofPerson, [identityProvider, issuer, subject])
    return row && toPerson(row)
  }

  /** The person whose sessions stand for this key. */
  async ofKey(keyId: string): Promise<LinkedPerson | undefined> {
    const row = await this.#transaction.row(ofKey, [keyId])
    return row && toPerson(row)
  }

  async ofAccount(ownerProvider: string, account: string): Promise<LinkedPerson | undefined> {
    const row = await this.#transaction.row(ofAccount, [ownerProvider, account])
    return row && toPerson(row)
  }

  async members(linkId: string): Promise<LinkedPerson[]> {
    return (await this.#transaction.rows(members, [linkId])).map(toPerson)
  }

  /** Does nothing to somebody who is linked already. */
  async join({ identityProvider, issuer, subject }: PersonRef, linkId: string, at: number): Promise<void> {
    await this.#transaction.execute(join, [identityProvider, issuer, subject, linkId, new Date(at)])
  }

  async leave({ identityProvider, issuer, subject }: PersonRef): Promise<void> {
    await this.#transaction.execute(leave, [identityProvider, issuer, subject])
  }

  /** Other accounts of the person who is this user of a directory. */
  async linkedToListed(
    userId: string,
  ): Promise<{ readonly ownerProvider: string; readonly account: string; readonly keyId: string }[]> {
    const rows = await this.#transaction.rows(linkedToListed, [userId])
    return rows.map((row) => ({
      ownerProvider: row.owner_provider,
      account: row.account,
      keyId: row.key_id,
    }))
  }
}

function toPerson(row: RowOf<typeof PERSON>): LinkedPerson {
  return {
    identityProvider: row.identity_provider,
    issuer: row.issuer,
    subject: row.subject,
    ownerProvider: row.owner_provider,
    account: row.account,
    keyId: row.key_id,
    linkId: row.link_id ?? undefined,
    linkedAt: row.linked_at?.getTime(),
    hasGrant: row.has_grant,
  }
}

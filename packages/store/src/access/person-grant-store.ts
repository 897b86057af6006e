import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'
import type { PersonRef } from './person-store.ts'

const OF_PERSON = `tenant_id = skein_current_tenant() and identity_provider = $1 and issuer = $2 and subject = $3`

/** Keys of all accounts that are linked to those of an array of keys, and the keys themselves. */
const linkedKeys = (keys: string) => `array(select l.key_id from person l
     where l.tenant_id = skein_current_tenant() and l.link_id = any(array(select o.link_id from person o
       where o.tenant_id = skein_current_tenant() and o.key_id = any(${keys}) and o.link_id is not null))) || ${keys}`

const save = statement(
  'person_grant_save',
  `insert into person_grant (tenant_id, identity_provider, issuer, subject, sealed, version, check_at, keep_until)
   values (skein_current_tenant(), $1, $2, $3, $4, 1, $5, $6)
   on conflict (tenant_id, identity_provider, issuer, subject) do update set sealed = excluded.sealed,
     version = person_grant.version + 1, held_until = '-infinity', check_at = excluded.check_at,
     keep_until = greatest(person_grant.keep_until, excluded.keep_until)`,
)

const find = statement(
  'person_grant_find',
  `select g.sealed, g.version, g.keep_until, p.key_id, (select max(s.expires_at) from browser_session s
     where s.tenant_id = skein_current_tenant() and s.key_id = any(${linkedKeys('array[p.key_id]')})
       and s.revoked_at is null and s.expires_at > $4) as session_ends
   from person_grant g join person p on p.tenant_id = g.tenant_id and p.identity_provider = g.identity_provider
     and p.issuer = g.issuer and p.subject = g.subject
   where g.tenant_id = skein_current_tenant() and g.identity_provider = $1 and g.issuer = $2 and g.subject = $3`,
  {
    sealed: 'text',
    version: 'bigint',
    keep_until: 'timestamptz',
    key_id: 'text',
    session_ends: 'timestamptz?',
  },
)

const ofAccount = statement(
  'person_grant_of_account',
  `with own as materialized (
     select o.key_id, o.link_id from person o
     where o.tenant_id = skein_current_tenant() and o.owner_provider = $1 and o.account = $2),
   linked as materialized (
     select l.key_id, l.deactivated_at from person l
     where l.tenant_id = skein_current_tenant() and l.link_id = any(array(select link_id from own)))
   select g.identity_provider, g.issuer, g.subject
   from person p join person_grant g on g.tenant_id = p.tenant_id and g.identity_provider = p.identity_provider
     and g.issuer = p.issuer and g.subject = p.subject
   where p.tenant_id = skein_current_tenant()
     and p.key_id = any(array(select key_id from own union select key_id from linked))
     and p.deactivated_at is null and not exists (select from linked where deactivated_at is not null)
     and g.keep_until > $3
   order by p.key_id = any(array(select key_id from own)) desc, p.identity_provider`,
  { identity_provider: 'text', issuer: 'text', subject: 'text' },
)

const hold = statement(
  'person_grant_hold',
  `update person_grant set held_until = now() + make_interval(secs => $5 / 1000.0)
   where ${OF_PERSON} and version = $4 and held_until < now()`,
)

const replace = statement(
  'person_grant_replace',
  `update person_grant set sealed = $5, version = version + 1, held_until = '-infinity'
   where ${OF_PERSON} and version = $4`,
)

const release = statement(
  'person_grant_release',
  `update person_grant set held_until = '-infinity' where ${OF_PERSON} and version = $4`,
)

const checkAgain = statement(
  'person_grant_check_again',
  `update person_grant set check_at = $4, keep_until = greatest(keep_until, $5)
   where ${OF_PERSON} and date_trunc('milliseconds', keep_until) = $6`,
)

const drop = statement('person_grant_drop', `delete from person_grant where ${OF_PERSON} and version = $4`)

const GRANTS_OF_LINKED = `from person p join person_grant g on g.tenant_id = p.tenant_id
       and g.identity_provider = p.identity_provider and g.issuer = p.issuer and g.subject = p.subject
     where p.tenant_id = skein_current_tenant() and p.key_id = any(${linkedKeys('$1::text[]')})`

/** In one order: two who sign out with linked accounts at once would deadlock otherwise. */
const lockLinked = statement(
  'person_grant_lock_linked',
  `select g.subject ${GRANTS_OF_LINKED}
     order by g.identity_provider, g.issuer, g.subject for update of g`,
  { subject: 'text' },
)

const letGo = statement(
  'person_grant_let_go',
  `with unused as materialized (
     select g.identity_provider, g.issuer, g.subject ${GRANTS_OF_LINKED}
       and not exists (select from browser_session s where s.tenant_id = skein_current_tenant()
         and s.key_id = any(${linkedKeys('array[p.key_id]')}) and s.revoked_at is null and s.expires_at > $2))
   update person_grant g set check_at = $2, keep_until = $2 from unused u
   where g.tenant_id = skein_current_tenant() and g.identity_provider = u.identity_provider
     and g.issuer = u.issuer and g.subject = u.subject`,
)

export interface DuePersonGrant extends PersonRef {
  readonly tenantId: string
}

export interface PersonGrantRecord {
  readonly sealed: string
  readonly version: bigint
  readonly keepUntil: number
  readonly keyId: string
  /** Until when the person is signed in, also with an account that they linked. Undefined if they are not. */
  readonly sessionEndsAt: number | undefined
}

export const takeDuePersonGrants = takingDue(
  'take_due_person_grants',
  { tenant_id: 'uuid', identity_provider: 'text', issuer: 'text', subject: 'text' },
  (row): DuePersonGrant => ({
    tenantId: row.tenant_id,
    identityProvider: row.identity_provider,
    issuer: row.issuer,
    subject: row.subject,
  }),
)

/** What lets us act for people of the transaction's tenant at their code hosts, sealed. */
export class PersonGrantStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Replaces an older one, even if it is held. */
  async save(
    person: PersonRef,
    grant: { readonly sealed: string; readonly checkAt: number; readonly keepUntil: number },
  ): Promise<void> {
    const times = [new Date(grant.checkAt), new Date(grant.keepUntil)]
    await this.#transaction.execute(save, [...columns(person), grant.sealed, ...times])
  }

  async find(person: PersonRef, at: number): Promise<PersonGrantRecord | undefined> {
    const row = await this.#transaction.row(find, [...columns(person), new Date(at)])
    return (
      row && {
        sealed: row.sealed,
        version: BigInt(row.version),
        keepUntil: row.keep_until.getTime(),
        keyId: row.key_id,
        sessionEndsAt: row.session_ends?.getTime(),
      }
    )
  }

  /**
   * Of the account, and of those that are linked to it. Its own comes first. None of somebody who has left, and none
   * that was let go and is about to be forgotten.
   */
  async ofAccount(ownerProvider: string, account: string, at: number): Promise<PersonRef[]> {
    const rows = await this.#transaction.rows(ofAccount, [ownerProvider, account, new Date(at)])
    return rows.map((row) => ({
      identityProvider: row.identity_provider,
      issuer: row.issuer,
      subject: row.subject,
    }))
  }

  /** False if another server holds it, or it has changed. */
  async hold(person: PersonRef, version: bigint, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(hold, [...columns(person), version, holdMs])) === 1
  }

  async replace(person: PersonRef, version: bigint, sealed: string): Promise<boolean> {
    return (await this.#transaction.execute(replace, [...columns(person), version, sealed])) === 1
  }

  async release(person: PersonRef, version: bigint): Promise<void> {
    await this.#transaction.execute(release, [...columns(person), version])
  }

  /** Never shortens the time for which it is kept. Does nothing if it was let go, or saved again, since it was read. */
  async checkAgain(
    person: PersonRef,
    { keepUntil: readKeepUntil }: PersonGrantRecord,
    { at, keepUntil }: { readonly at: number; readonly keepUntil: number | undefined },
  ): Promise<void> {
    const kept = keepUntil === undefined ? null : new Date(keepUntil)
    const values = [new Date(at), kept, new Date(readKeepUntil)]
    await this.#transaction.execute(checkAgain, [...columns(person), ...values])
  }

  /** False if it has changed. */
  async drop(person: PersonRef, version: bigint): Promise<boolean> {
    return (await this.#transaction.execute(drop, [...columns(person), version])) === 1
  }

  /**
   * Of people who have signed out of their last session: they are due at once, and not kept. Likewise those of the
   * accounts that they linked. Not while they are signed in with any of these.
   */
  async letGo(keyIds: readonly string[], at: number): Promise<void> {
    // In a separate statement, so that the next one sees what was committed while this one waited. Otherwise, two
    // transactions that end a person's last two sessions would each see the other's session as live.
    await this.#transaction.rows(lockLinked, [keyIds])
    await this.#transaction.execute(letGo, [keyIds, new Date(at)])
  }
}

function columns({ identityProvider, issuer, subject }: PersonRef): [string, string, string] {
  return [identityProvider, issuer, subject]
}

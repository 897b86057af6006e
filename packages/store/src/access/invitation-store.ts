import type { Provider, Role } from '@skein/contract'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const findTenant = statement('find_invitation', 'select tenant_id, id from find_invitation($1, $2)', {
  tenant_id: 'uuid',
  id: 'uuid',
})

const INVITATION = {
  id: 'uuid',
  owner_provider: meant<Provider>('text'),
  role: meant<Role>('text'),
  team: 'text',
  description: 'text',
  created_by: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  ended_at: 'timestamptz?',
  account: 'text',
  email: 'text',
  mail_due_at: 'timestamptz?',
  mail_sent_at: 'timestamptz?',
  mail_error: 'text',
} as const

const COLUMNS = Object.keys(INVITATION).join(', ')

const lockTenant = statement(
  'invitation_lock_tenant',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text, 19))`,
)

const countOpen = statement(
  'invitation_count_open',
  `select count(*)::int as amount from invitation
   where tenant_id = skein_current_tenant() and ended_at is null and expires_at > $1`,
  { amount: 'int' },
)

const add = statement(
  'invitation_add',
  `insert into invitation (tenant_id, id, secret_sha256, owner_provider, role, team, description, created_by,
     created_at, expires_at, email, sealed, mail_due_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $10 <> '' then now() end)`,
)

const keepNewest = statement(
  'invitation_keep_newest',
  `delete from invitation where tenant_id = skein_current_tenant() and id = any(array(
     select o.id from invitation o
     where o.tenant_id = skein_current_tenant() and (o.ended_at is not null or o.expires_at <= $1)
     order by o.created_at desc, o.id desc offset $2 limit 100))`,
)

const listBefore = statement(
  'invitation_list_before',
  `select ${COLUMNS} from invitation
   where tenant_id = skein_current_tenant() and ($1::timestamptz is null or (created_at, id) < ($1, $2))
   order by created_at desc, id desc limit $3`,
  INVITATION,
)

const find = statement(
  'invitation_find',
  `select ${COLUMNS} from invitation where tenant_id = skein_current_tenant() and id = $1`,
  INVITATION,
)

const lockOpen = statement(
  'invitation_lock_open',
  `select ${COLUMNS} from invitation
   where tenant_id = skein_current_tenant() and id = $1 and ended_at is null and expires_at > $2 for update`,
  INVITATION,
)

const end = statement(
  'invitation_end',
  `update invitation set ended_at = $2, account = $3, sealed = null
   where tenant_id = skein_current_tenant() and id = $1 and ended_at is null and expires_at > $2`,
)

const endOfAccount = statement(
  'invitation_end_of_account',
  `update invitation set ended_at = $2, sealed = null
   where tenant_id = skein_current_tenant() and created_by = $1 and ended_at is null and expires_at > $2`,
)

/** Whatever a person with this account name would be taken for: keys, people, members of a team, owners of agents. */
const isTaken = statement(
  'invitation_account_taken',
  `select exists (select from api_key
       where tenant_id = skein_current_tenant() and owner_provider = $1 and account = $2)
     or exists (select from person
       where tenant_id = skein_current_tenant() and owner_provider = $1 and account = $2)
     or exists (select from team_member
       where tenant_id = skein_current_tenant() and owner_provider = $1 and account = $2)
     or exists (select from agent
       where tenant_id = skein_current_tenant() and parent_key = '' and owner_provider = $1 and account = $2)
     as taken`,
  { taken: 'boolean' },
)

export interface InvitationRecord {
  readonly id: string
  readonly ownerProvider: Provider
  readonly role: Role
  /** Empty for none. */
  readonly team: string
  readonly description: string
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly endedAt: number | undefined
  /** Who accepted it; empty if nobody did. */
  readonly account: string
  /** Where the link is sent to; empty for nowhere. */
  readonly email: string
  /** When it is sent next; undefined if it is not sent any more. */
  readonly mailDueAt: number | undefined
  readonly mailSentAt: number | undefined
  /** Of the last attempt. */
  readonly mailError: string
}

interface NewInvitation extends Omit<
  InvitationRecord,
  'endedAt' | 'account' | 'mailDueAt' | 'mailSentAt' | 'mailError'
> {
  readonly secretSha256: Uint8Array
  /** The code, if it is to be sent. */
  readonly sealed: string | undefined
}

/** The tenant of an invitation that is open. Works without a tenant. */
export async function findInvitation(
  transaction: Transaction,
  secretSha256: Uint8Array,
  at: number,
): Promise<{ readonly tenantId: string; readonly id: string } | undefined> {
  const row = await transaction.row(findTenant, [secretSha256, new Date(at)])
  return row && { tenantId: row.tenant_id, id: row.id }
}

/** Invitations of the transaction's tenant. */
export class InvitationStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** How many are open. Nobody else adds one before the transaction ends. */
  async lockAndCount(at: number): Promise<number> {
    await this.#transaction.execute(lockTenant, [])
    return (await this.#transaction.row(countOpen, [new Date(at)]))?.amount ?? 0
  }

  /** Of those that have ended, only so many are kept. */
  async add(added: NewInvitation, keep: number): Promise<void> {
    const { id, ownerProvider, role, team, description, createdBy } = added
    const at = new Date(added.createdAt)
    await this.#transaction.execute(add, [
      id,
      added.secretSha256,
      ownerProvider,
      role,
      team,
      description,
      createdBy,
      at,
      new Date(added.expiresAt),
      added.email,
      added.sealed ?? null,
    ])
    await this.#transaction.execute(keepNewest, [at, keep])
  }

  /** Newest first. */
  async listBefore(
    before: { readonly createdAt: number; readonly id: string } | undefined,
    limit: number,
  ): Promise<InvitationRecord[]> {
    const place = before ? [new Date(before.createdAt), before.id] : [null, null]
    return (await this.#transaction.rows(listBefore, [...place, limit])).map(toRecord)
  }

  async find(id: string): Promise<InvitationRecord | undefined> {
    const row = await this.#transaction.row(find, [id])
    return row && toRecord(row)
  }

  /** Undefined if it has ended. Nobody else can accept or revoke it before the transaction ends. */
  async lockOpen(id: string, at: number): Promise<InvitationRecord | undefined> {
    const row = await this.#transaction.row(lockOpen, [id, new Date(at)])
    return row && toRecord(row)
  }

  /** With the account that accepted it, or none if it is revoked. False if it has ended before. */
  async end(id: string, at: number, account = ''): Promise<boolean> {
    return (await this.#transaction.execute(end, [id, new Date(at), account])) === 1
  }

  /** Those of somebody who left. */
  async endOfAccount(account: string, at: number): Promise<void> {
    await this.#transaction.execute(endOfAccount, [account, new Date(at)])
  }

  /** Whether something belongs to an account of this name, or is meant for it. */
  async isTaken(ownerProvider: string, account: string): Promise<boolean> {
    return (await this.#transaction.row(isTaken, [ownerProvider, account]))?.taken !== false
  }
}

function toRecord(row: RowOf<typeof INVITATION>): InvitationRecord {
  return {
    id: row.id,
    ownerProvider: row.owner_provider,
    role: row.role,
    team: row.team,
    description: row.description,
    createdBy: row.created_by,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    endedAt: row.ended_at?.getTime(),
    account: row.account,
    email: row.email,
    mailDueAt: row.mail_due_at?.getTime(),
    mailSentAt: row.mail_sent_at?.getTime(),
    mailError: row.mail_error,
  }
}

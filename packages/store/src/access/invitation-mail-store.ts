import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'

/** A mail that this server sends. The next holder gets another token. */
export interface HeldInvitationMail {
  readonly tenantId: string
  readonly id: string
  readonly token: bigint
}

export const takeDueInvitationMails = takingDue(
  'take_due_invitation_mails',
  { tenant_id: 'uuid', id: 'uuid', token: 'bigint' },
  (row): HeldInvitationMail => ({ tenantId: row.tenant_id, id: row.id, token: BigInt(row.token) }),
)

/** Not by what the index of due mails is about: on an empty table that would be read, with those of all tenants. */
const TAKEN = `tenant_id = skein_current_tenant() and id = $1 and mail_token = $2`
const HELD = `${TAKEN} and sealed is not null`

const find = statement(
  'invitation_mail_find',
  `select email, sealed, mail_attempts, role, created_by, created_at, expires_at, ended_at
   from invitation where ${HELD}`,
  {
    email: 'text',
    sealed: 'text?',
    ended_at: 'timestamptz?',
    mail_attempts: 'int',
    role: 'text',
    created_by: 'text',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
)

const postpone = statement(
  'invitation_mail_postpone',
  `update invitation set mail_due_at = $3, mail_attempts = $4, mail_error = $5 where ${HELD}`,
)

/** Also of an invitation that has ended since it was taken: it was sent all the same. */
const end = statement(
  'invitation_mail_end',
  `update invitation set mail_due_at = null, sealed = null, mail_sent_at = $3, mail_error = $4 where ${TAKEN}`,
)

export interface InvitationMail {
  readonly email: string
  readonly sealed: string
  /** Failed so far. */
  readonly attempts: number
  readonly role: string
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** Mails with links of invitations of the transaction's tenant. */
export class InvitationMailStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Undefined if the invitation has ended, or another server sends it by now. */
  async find({ id, token }: HeldInvitationMail): Promise<InvitationMail | undefined> {
    const row = await this.#transaction.row(find, [id, token])
    if (!row || row.ended_at !== null) return undefined
    return {
      email: row.email,
      sealed: row.sealed ?? '',
      attempts: row.mail_attempts,
      role: row.role,
      createdBy: row.created_by,
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
    }
  }

  async postpone(
    { id, token }: HeldInvitationMail,
    later: { readonly dueAt: number; readonly attempts: number; readonly error: string },
  ): Promise<void> {
    const { dueAt, attempts, error } = later
    await this.#transaction.execute(postpone, [id, token, new Date(dueAt), attempts, error])
  }

  async sent({ id, token }: HeldInvitationMail, at: number): Promise<void> {
    await this.#transaction.execute(end, [id, token, new Date(at), ''])
  }

  async fail({ id, token }: HeldInvitationMail, error: string): Promise<void> {
    await this.#transaction.execute(end, [id, token, null, error])
  }
}

import type { SessionKind } from '@skein/contract/facts'
import { meant } from '../database/columns.ts'
import { KEY, toKeyRecord, type KeyRecord } from './key-record.ts'
import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'
import { lockAccount, OF_ACCOUNT, type SessionOwner } from './session-account.ts'

const authenticate = statement(
  'authenticate_session',
  `select s.session_id, k.*, authenticate_teams(k.key_id) as teams, tenant_hold(k.tenant_id) as hold
   from authenticate_session($1, $2, $3) s, lateral authenticate_key(s.key_id) k`,
  { session_id: 'uuid', ...KEY },
)

const authenticateCommandLine = statement(
  'authenticate_command_line',
  `select s.session_id, s.session_ends_at, k.*, authenticate_teams(k.key_id) as teams, tenant_hold(k.tenant_id) as hold
   from authenticate_command_line($1, $2) s, lateral authenticate_key(s.key_id) k`,
  { session_id: 'uuid', session_ends_at: 'timestamptz', ...KEY },
)

const insert = statement(
  'browser_session_insert',
  `insert into browser_session (id, tenant_id, key_id, secret_sha256, page_secret_sha256, user_agent,
     created_at, expires_at, provider_session, kind, signed_in_at)
   values ($1, skein_current_tenant(), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

const find = statement(
  'browser_session_find',
  `select created_at, expires_at, provider_session from browser_session
   where tenant_id = skein_current_tenant() and id = $1 and revoked_at is null`,
  { created_at: 'timestamptz', expires_at: 'timestamptz', provider_session: 'text?' },
)

const lockLive = statement(
  'browser_session_lock_live',
  `select id from browser_session
   where tenant_id = skein_current_tenant() and id = $1 and revoked_at is null and expires_at > $2 for share`,
  { id: 'uuid' },
)

const lockRenewals = statement(
  'browser_session_lock_renewals',
  `select renewals, renewed_at from browser_session
   where tenant_id = skein_current_tenant() and id = $1 and revoked_at is null for update`,
  { renewals: 'int', renewed_at: 'timestamptz?' },
)

const renew = statement(
  'browser_session_renew',
  `update browser_session set renewals = $2, renewed_at = $3
   where tenant_id = skein_current_tenant() and id = $1`,
)

const keepNewest = statement(
  'browser_session_keep_newest',
  `delete from browser_session where id = any(array(
     select s.id ${OF_ACCOUNT}
     order by (s.revoked_at is null and s.expires_at > $3) desc, s.created_at desc, s.id desc offset $4))`,
)

const list = statement(
  'browser_session_list',
  `select s.id, case k.kind when 'token' then k.name else k.kind || '/' || k.name end as name, s.kind, s.user_agent, s.created_at, s.expires_at ${OF_ACCOUNT}
     and s.revoked_at is null and s.expires_at > $3
     and k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)
   order by s.created_at desc, s.id desc`,
  {
    id: 'uuid',
    name: 'text',
    kind: meant<SessionKind>('text'),
    user_agent: 'text',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
)

export interface BrowserSessionRecord {
  readonly id: string
  readonly kind: SessionKind
  readonly token: string
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface Secrets {
  readonly secretSha256: Uint8Array
  readonly pageSecretSha256: Uint8Array
}

interface NewSession {
  readonly id: string
  readonly keyId: string
  /** Undefined for a command line. */
  readonly secrets: Secrets | undefined
  /** The browser, or the name of the machine. */
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly providerSession: string | undefined
  /** For a command line: when the session was opened in which a person confirmed it. */
  readonly signedInAt?: number
}

/**
 * Works without a tenant: the cookie identifies it. Undefined if the session has ended, or if the page's secret is
 * missing or wrong.
 */
export async function findBrowserSession(
  transaction: Transaction,
  { secretSha256, pageSecretSha256 }: Secrets,
  at: number,
): Promise<{ sessionId: string; key: KeyRecord } | undefined> {
  const row = await transaction.row(authenticate, [secretSha256, pageSecretSha256, new Date(at)])
  return row && { sessionId: row.session_id, key: toKeyRecord(row) }
}

/** The session of a command line, if it has not ended. Works without a tenant: the service sealed its id. */
export async function findCommandLine(
  transaction: Transaction,
  sessionId: string,
  at: number,
): Promise<{ sessionId: string; expiresAt: number; key: KeyRecord } | undefined> {
  const row = await transaction.row(authenticateCommandLine, [sessionId, new Date(at)])
  return row && { sessionId, expiresAt: row.session_ends_at.getTime(), key: toKeyRecord(row) }
}

/** Sessions of the transaction's tenant: of browsers and command lines. */
export class BrowserSessionStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(added: NewSession): Promise<void> {
    const { id, keyId, secrets, userAgent, createdAt, expiresAt, providerSession, signedInAt } = added
    await this.#transaction.execute(insert, [
      id,
      keyId,
      secrets?.secretSha256 ?? null,
      secrets?.pageSecretSha256 ?? null,
      userAgent,
      new Date(createdAt),
      new Date(expiresAt),
      providerSession ?? null,
      secrets ? 'browser' : 'command-line',
      signedInAt === undefined ? null : new Date(signedInAt),
    ])
  }

  async find(
    id: string,
  ): Promise<{ createdAt: number; expiresAt: number; providerSession: string | undefined } | undefined> {
    const row = await this.#transaction.row(find, [id])
    return (
      row && {
        createdAt: row.created_at.getTime(),
        expiresAt: row.expires_at.getTime(),
        providerSession: row.provider_session ?? undefined,
      }
    )
  }

  /** Whether the account's session has not ended. It cannot end before the transaction does. */
  async lockLive({ ownerProvider, account }: SessionOwner, id: string, at: number): Promise<boolean> {
    // First, as `keepNewest` does: the other order could deadlock with it.
    await this.#transaction.execute(lockAccount, [ownerProvider, account])
    return (await this.#transaction.row(lockLive, [id, new Date(at)])) !== undefined
  }

  /** How often the keys of a command line were renewed, and when last. Locks the session. */
  async lockRenewals(id: string): Promise<{ renewals: number; renewedAt: number | undefined } | undefined> {
    const row = await this.#transaction.row(lockRenewals, [id])
    return row && { renewals: row.renewals, renewedAt: row.renewed_at?.getTime() }
  }

  async renew(id: string, renewals: number, at: number): Promise<void> {
    await this.#transaction.execute(renew, [id, renewals, new Date(at)])
  }

  /** Deletes all but the newest: first the ended ones, then the oldest. The audit keeps a record of them. */
  async keepNewest({ ownerProvider, account }: SessionOwner, count: number, at: number): Promise<void> {
    // Otherwise two concurrent sign-ins would not see each other's session.
    await this.#transaction.execute(lockAccount, [ownerProvider, account])
    await this.#transaction.execute(keepNewest, [ownerProvider, account, new Date(at), count])
  }

  /** Active sessions, newest first. */
  async list({ ownerProvider, account }: SessionOwner, at: number): Promise<BrowserSessionRecord[]> {
    const rows = await this.#transaction.rows(list, [ownerProvider, account, new Date(at)])
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      token: row.name,
      userAgent: row.user_agent,
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
    }))
  }
}

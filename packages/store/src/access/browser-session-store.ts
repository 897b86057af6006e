import { KEY, toKeyRecord, type KeyRecord } from './key-record.ts'
import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const authenticate = statement(
  'authenticate_session',
  `select s.session_id, k.*, authenticate_teams(k.key_id) as teams
   from authenticate_session($1, $2, $3) s, lateral authenticate_key(s.key_id) k`,
  { session_id: 'uuid', ...KEY },
)

const insert = statement(
  'browser_session_insert',
  `insert into browser_session (id, tenant_id, key_id, secret_sha256, page_secret_sha256, user_agent,
     created_at, expires_at)
   values ($1, skein_current_tenant(), $2, $3, $4, $5, $6, $7)`,
)

const revoke = statement(
  'browser_session_revoke',
  `update browser_session set revoked_at = $2
   where tenant_id = skein_current_tenant() and id = $1 and revoked_at is null`,
)

const revokeOfToken = statement(
  'browser_session_revoke_of_token',
  `update browser_session set revoked_at = $2
   where tenant_id = skein_current_tenant() and revoked_at is null and key_id = any(array(
     select k.key_id from api_key k
     where k.tenant_id = skein_current_tenant() and k.kind = 'token' and k.name = $1))`,
)

const lockAccount = statement(
  'browser_session_lock_account',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text || '/' || $1 || '/' || $2, 3))`,
)

/** Selects the keys first, as an array. A join planned while both tables are empty would read every session. */
const OF_ACCOUNT = `from browser_session s join api_key k on k.key_id = s.key_id
   where s.tenant_id = skein_current_tenant() and k.tenant_id = skein_current_tenant()
     and s.key_id = any(array(
       select a.key_id from api_key a
       where a.tenant_id = skein_current_tenant() and a.owner_provider = $1 and a.account = $2))`

const keepNewest = statement(
  'browser_session_keep_newest',
  `delete from browser_session where id = any(array(
     select s.id ${OF_ACCOUNT}
     order by (s.revoked_at is null and s.expires_at > $3) desc, s.created_at desc, s.id desc offset $4))`,
)

const list = statement(
  'browser_session_list',
  `select s.id, k.name, s.user_agent, s.created_at, s.expires_at ${OF_ACCOUNT}
     and s.revoked_at is null and s.expires_at > $3
     and k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)
   order by s.created_at desc, s.id desc`,
  { id: 'uuid', name: 'text', user_agent: 'text', created_at: 'timestamptz', expires_at: 'timestamptz' },
)

const end = statement(
  'browser_session_end',
  `update browser_session set revoked_at = $3
   where id = any(array(select s.id ${OF_ACCOUNT} and s.id = $4 and s.revoked_at is null and s.expires_at > $3))`,
)

export interface SessionOwner {
  readonly ownerProvider: string
  readonly account: string
}

export interface BrowserSessionRecord {
  readonly id: string
  readonly token: string
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface NewBrowserSession {
  readonly id: string
  readonly keyId: string
  readonly secretSha256: Uint8Array
  readonly pageSecretSha256: Uint8Array
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
}

/**
 * Works without a tenant: the cookie identifies it. Undefined if the session has ended, or if the page's secret is
 * missing or wrong.
 */
export async function findBrowserSession(
  transaction: Transaction,
  { secretSha256, pageSecretSha256 }: Pick<NewBrowserSession, 'secretSha256' | 'pageSecretSha256'>,
  at: number,
): Promise<{ sessionId: string; key: KeyRecord } | undefined> {
  const row = await transaction.row(authenticate, [secretSha256, pageSecretSha256, new Date(at)])
  return row && { sessionId: row.session_id, key: toKeyRecord(row) }
}

/** Browser sessions of the transaction's tenant. */
export class BrowserSessionStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(added: NewBrowserSession): Promise<void> {
    const { id, keyId, secretSha256, pageSecretSha256, userAgent, createdAt, expiresAt } = added
    const times = [new Date(createdAt), new Date(expiresAt)]
    await this.#transaction.execute(insert, [id, keyId, secretSha256, pageSecretSha256, userAgent, ...times])
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
      token: row.name,
      userAgent: row.user_agent,
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
    }))
  }

  /** False if the session has ended or belongs to another account. */
  async end({ ownerProvider, account }: SessionOwner, id: string, at: number): Promise<boolean> {
    return (await this.#transaction.execute(end, [ownerProvider, account, new Date(at), id])) > 0
  }

  async revoke(id: string, at: number): Promise<void> {
    await this.#transaction.execute(revoke, [id, new Date(at)])
  }

  /** All sessions of the token, whichever of its keys opened them. */
  async revokeOfToken(token: string, at: number): Promise<void> {
    await this.#transaction.execute(revokeOfToken, [token, new Date(at)])
  }
}

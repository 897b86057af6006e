import { toKeyRecord, type KeyRecord, type KeyRow } from './key-record.ts'
import type { Session } from './session.ts'
import { statement } from './statement.ts'

const authenticate = statement(
  'authenticate_session',
  `select s.session_id, k.* from authenticate_session($1, $2, $3) s, lateral authenticate_key(s.key_id) k`,
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
 * Works without a tenant: the cookie is what tells which tenant it is. Undefined once the session has ended, and for
 * a cookie that comes without the secret of its page.
 */
export async function findBrowserSession(
  session: Session,
  { secretSha256, pageSecretSha256 }: Pick<NewBrowserSession, 'secretSha256' | 'pageSecretSha256'>,
  at: number,
): Promise<{ sessionId: string; key: KeyRecord } | undefined> {
  const row = await session.row<KeyRow & { session_id: string }>(authenticate, [
    secretSha256,
    pageSecretSha256,
    new Date(at),
  ])
  return row && { sessionId: row.session_id, key: toKeyRecord(row) }
}

/** The sessions of people in a browser, of the session's tenant. */
export class BrowserSessionStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(added: NewBrowserSession): Promise<void> {
    const { id, keyId, secretSha256, pageSecretSha256, userAgent, createdAt, expiresAt } = added
    const times = [new Date(createdAt), new Date(expiresAt)]
    await this.#session.execute(insert, [id, keyId, secretSha256, pageSecretSha256, userAgent, ...times])
  }

  async revoke(id: string, at: number): Promise<void> {
    await this.#session.execute(revoke, [id, new Date(at)])
  }

  /** Whichever of the token's keys they were opened with. */
  async revokeOfToken(token: string, at: number): Promise<void> {
    await this.#session.execute(revokeOfToken, [token, new Date(at)])
  }
}

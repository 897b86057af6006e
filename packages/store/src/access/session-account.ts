import { statement } from '../database/statement.ts'

export interface SessionOwner {
  readonly ownerProvider: string
  readonly account: string
}

export const lockAccount = statement(
  'browser_session_lock_account',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text || '/' || $1 || '/' || $2, 3))`,
)

/** Selects the keys first, as an array. A join planned while both tables are empty would read every session. */
export const OF_ACCOUNT = `from browser_session s join api_key k on k.key_id = s.key_id
   where s.tenant_id = skein_current_tenant() and k.tenant_id = skein_current_tenant()
     and s.key_id = any(array(
       select a.key_id from api_key a
       where a.tenant_id = skein_current_tenant() and a.owner_provider = $1 and a.account = $2))`

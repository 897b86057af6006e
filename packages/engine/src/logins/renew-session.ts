import { SkeinError } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import { BrowserSessionStore, findCommandLine, SessionEndStore } from '@skein/store'
import { isUsable, toCaller } from '../access/known-key.ts'
import { recordSession } from '../access/record-session.ts'
import type { EngineResources } from '../resources.ts'
import type { RequestOrigin } from '../access/request-origin.ts'
import { mintSessionKeys, openRenewalKey, type SessionKeys } from '../access/session-keys.ts'

/** For a lost answer, and for two programs that renew at once. */
const GRACE_MS = 60_000

const refused = () => new SkeinError('CREDENTIAL_INVALID')

/** The next keys of a command line. A renewal key that was replaced long ago has been copied, so it ends the session. */
export async function renewSession(
  engine: EngineResources,
  renewalKey: string,
  origin: RequestOrigin,
): Promise<SessionKeys> {
  const { database, clock } = engine
  const opened = openRenewalKey(engine, renewalKey)
  if (!opened) throw refused()
  const { sessionId: id } = opened
  const now = clock.now()
  const found = await database.statement((transaction) => findCommandLine(transaction, id, now))
  if (!found || !isUsable(found.key, KEY_PREFIXES.apiKey, now)) throw refused()
  const caller = toCaller(found.key)
  const renewals = await database.forTenant(found.key.tenantId, async (transaction) => {
    const sessions = new BrowserSessionStore(transaction)
    const known = await sessions.lockRenewals(id)
    if (!known) return undefined
    if (opened.renewals === known.renewals) {
      await sessions.renew(id, known.renewals + 1, now)
      return known.renewals + 1
    }
    const isJustReplaced = opened.renewals === known.renewals - 1 && now - (known.renewedAt ?? 0) <= GRACE_MS
    if (isJustReplaced) return known.renewals
    await new SessionEndStore(transaction).revoke(id, now)
    await recordSession(transaction, { caller, ...origin, operation: 'refuseRenewal', name: id, at: now })
    return undefined
  })
  if (renewals === undefined) throw refused()
  return mintSessionKeys(engine, caller, { id, expiresAt: found.expiresAt, renewals })
}

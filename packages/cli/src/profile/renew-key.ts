import { Skein, type SessionKeys } from '@skein/client'
import type { Asker } from '../keyring/keyring.ts'
import { changeProfileFile, type StoredProfile } from './profile-file.ts'
import type { Profile } from './profile.ts'
import { openKeys, readKeys, replaceKeys, SignedOutError } from './stored-keys.ts'
import { workloadKeyOf } from './workload.ts'
import { userAgentOf } from '../version.ts'

/** So that a request on its way does not arrive with an expired key. */
const EARLY_MS = 5 * 60_000

/** A key for the client. That of a session is renewed when it is about to expire, and stored for other processes. */
export function keyOf(asker: Asker, profile: Profile): string | (() => Promise<string>) {
  const { name, session, keyring, workload } = profile
  if (workload !== undefined) return workloadKeyOf(asker.env, profile.url, workload)
  if (name === undefined || (session === undefined && !keyring)) return profile.apiKey
  let current: StoredProfile | undefined = keyring ? undefined : profile
  let renewal: Promise<string> | undefined
  return async () => {
    if (current !== undefined && isFresh(current)) return current.apiKey
    renewal ??= renew().finally(() => (renewal = undefined))
    return renewal
  }

  async function renew(): Promise<string> {
    current ??= await openKeys(asker, name ?? '', profile)
    if (!isFresh(current)) current = await renewStored(asker, profile.url, name ?? '')
    return current.apiKey
  }
}

/** As `finishLogin` and `renewSession` return it. */
export function toStored({ apiKey, expireTime, renewalKey, sessionExpireTime }: SessionKeys) {
  const session = {
    renewalKey,
    keyExpiresAt: Date.parse(expireTime),
    expiresAt: Date.parse(sessionExpireTime),
  }
  return { apiKey, session }
}

/** Another process may have renewed it while this one waited. */
async function renewStored({ env, note }: Asker, url: string, name: string): Promise<StoredProfile> {
  return changeProfileFile(env, async (file) => {
    const stored = await readKeys(env, file, name, url)
    if (stored.session === undefined) throw new SignedOutError(url)
    if (isFresh(stored)) return stored
    const skein = new Skein({ baseUrl: url, userAgent: userAgentOf('skein-cli') })
    const keys = await skein.renewSession(stored.session.renewalKey, { timeoutMs: 10_000, retries: 1 })
    const renewed = { ...stored, ...toStored(keys) }
    const why = await replaceKeys(env, file, name, renewed)
    if (why !== '') note(`The system keyring did not store the key: ${why}. It is in ${file.path} now.`)
    return renewed
  })
}

/** The last key of a session is used to its end. */
function isFresh({ session }: StoredProfile): boolean {
  if (session === undefined) return true
  const { keyExpiresAt, expiresAt } = session
  return Date.now() < (keyExpiresAt < expiresAt ? keyExpiresAt - EARLY_MS : keyExpiresAt)
}

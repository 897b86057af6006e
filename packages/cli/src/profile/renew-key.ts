import { Skein, type SessionKeys } from '@skein/client'
import type { Environment } from './environment.ts'
import { changeProfileFile, replaceProfile, type StoredProfile } from './profile-file.ts'
import { isSameAddress, type Profile } from './profile.ts'
import { workloadKeyOf } from './workload.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { userAgentOf } from '../version.ts'

/** So that a request on its way does not arrive with an expired key. */
const EARLY_MS = 5 * 60_000

/** A key for the client. That of a session is renewed when it is about to expire, and stored for other processes. */
export function keyOf(env: Environment, profile: Profile): string | (() => Promise<string>) {
  const { name, session, workload } = profile
  if (workload !== undefined) return workloadKeyOf(env, profile.url, workload)
  if (name === undefined || session === undefined) return profile.apiKey
  let current: StoredProfile = profile
  let renewal: Promise<string> | undefined
  return async () => {
    if (isFresh(current)) return current.apiKey
    renewal ??= renew().finally(() => (renewal = undefined))
    return renewal
  }

  async function renew(): Promise<string> {
    current = await renewStored(env, profile.url, name ?? '')
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
async function renewStored(env: Environment, url: string, name: string): Promise<StoredProfile> {
  return changeProfileFile(env, async (file) => {
    const stored = file.profiles[name]
    if (stored?.session === undefined || !isSameAddress(stored.url, url)) {
      throw new UsageError(`You have been signed out of ${url}.`, 'Sign in again with: skein login')
    }
    if (isFresh(stored)) return stored
    const skein = new Skein({ baseUrl: url, userAgent: userAgentOf('skein-cli') })
    const keys = await skein.renewSession(stored.session.renewalKey, { timeoutMs: 10_000, retries: 1 })
    const renewed = { ...stored, ...toStored(keys) }
    await replaceProfile(file, name, renewed)
    return renewed
  })
}

/** The last key of a session is used to its end. */
function isFresh({ session }: StoredProfile): boolean {
  if (session === undefined) return true
  const { keyExpiresAt, expiresAt } = session
  return Date.now() < (keyExpiresAt < expiresAt ? keyExpiresAt - EARLY_MS : keyExpiresAt)
}

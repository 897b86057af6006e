import {
  askKeyring,
  hasKeyring,
  openKeyring,
  unlockKeyring,
  type Asker,
  type KeyringAnswer,
} from '../keyring/keyring.ts'
import { UsageError } from '../command-line/usage-error.ts'
import type { Environment } from './environment.ts'
import {
  changeProfileFile,
  parseStoredProfile,
  profilePath,
  writeProfileFile,
  type ProfileFile,
  type StoredProfile,
} from './profile-file.ts'
import { isSameAddress } from './profile.ts'

/** There is no key for this server any more. */
export class SignedOutError extends UsageError {
  constructor(url: string) {
    super(`You have been signed out of ${url}.`, 'Sign in again with: skein login')
  }
}

/** The key is where nobody can read it now. */
export class KeyringUnusableError extends UsageError {
  readonly why: string

  constructor(url: string, why: string) {
    super(
      `The key for ${url} is in the system keyring, which cannot be used: ${why}.`,
      'Unlock it. Or sign in again and keep the key in a file: SKEIN_KEYRING=off skein login',
    )
    this.why = why
  }
}

interface StoredPlace {
  readonly path: string
  /** Whether the key is in the system keyring, and not in the file. */
  readonly keyring: boolean
  /** Why a keyring that may exist was not used; empty otherwise. */
  readonly why: string
}

/** Stores the profile and makes it the current one. The keys of a session go into the keyring if there is one. */
export async function storeProfile(asker: Asker, name: string, profile: StoredProfile): Promise<StoredPlace> {
  const { env } = asker
  const isForKeyring = profile.session !== undefined && hasKeyring(env)
  // Before the lock: a keyring may have to be unlocked, and others should not wait for that.
  const opened = isForKeyring ? await unlockKeyring(asker, accountOf(profilePath(env), name)) : undefined
  return changeProfileFile(env, async (file) => {
    const place = { ...file, current: name }
    if (opened === undefined || opened.kind === 'unusable') {
      // Of an earlier session. A keyring that cannot be used now is asked again with the next login or logout.
      const isLeft =
        isInKeyring(file.profiles[name]) &&
        (opened !== undefined || (await forgetKeys(env, file.path, name)) !== '')
      const entry = isLeft ? { ...profile, leftInKeyring: true as const } : profile
      await writeProfileFile({ ...place, profiles: { ...file.profiles, [name]: entry } })
      return { path: file.path, keyring: false, why: opened?.why ?? '' }
    }
    const why = await replaceKeys(env, place, name, { ...profile, keyring: true })
    return { path: file.path, keyring: why === '', why }
  })
}

/** Removes the profile and its keys. Returns why the keys could not be removed from the keyring, or nothing. */
export function removeProfile(env: Environment, name: string): Promise<string> {
  return changeProfileFile(env, async (file) => {
    const { [name]: removed, ...profiles } = file.profiles
    // First, because without the profile nobody would look there again.
    const why = isInKeyring(removed) ? await forgetKeys(env, file.path, name) : ''
    await writeProfileFile({ ...file, profiles })
    return why
  })
}

/** The profile with its keys, wherever they are. For callers without the lock. */
export async function openKeys(asker: Asker, name: string, profile: StoredProfile): Promise<StoredProfile> {
  if (!profile.keyring) return profile
  return withKeys(profile, await openKeyring(asker, accountOf(profilePath(asker.env), name)))
}

/** The same, for callers that hold the lock. */
export async function readKeys(env: Environment, file: ProfileFile, name: string, url: string) {
  const profile = file.profiles[name]
  if (profile === undefined || !isSameAddress(profile.url, url)) throw new SignedOutError(url)
  if (!profile.keyring) return profile
  return withKeys(profile, await askKeyring(env, { account: accountOf(file.path, name) }))
}

/**
 * Stores them where they were. A keyring that refuses them must not end the session, so they go into the file then.
 * Returns why, or nothing.
 */
export async function replaceKeys(
  env: Environment,
  file: ProfileFile,
  name: string,
  profile: StoredProfile,
): Promise<string> {
  const { keyring, workspace, leftInKeyring: _left, ...keys } = profile
  const shared = { url: profile.url, ...(workspace !== undefined && { workspace }) }
  const stored = keyring
    ? await askKeyring(env, { account: accountOf(file.path, name), change: JSON.stringify(keys) })
    : undefined
  const left = stored?.kind === 'unusable' || profile.leftInKeyring ? { leftInKeyring: true as const } : {}
  const entry: StoredProfile =
    stored?.kind === 'done' ? { ...shared, apiKey: '', keyring: true } : { ...shared, ...keys, ...left }
  await writeProfileFile({ ...file, profiles: { ...file.profiles, [name]: entry } })
  return stored?.kind === 'unusable' ? stored.why : ''
}

/** Even if new keys are kept elsewhere from now on: a key that nobody uses must not stay. */
async function forgetKeys(env: Environment, path: string, name: string): Promise<string> {
  const request = { account: accountOf(path, name), change: null }
  const answer = await askKeyring({ ...env, SKEIN_KEYRING: 'on' }, request)
  return answer.kind === 'unusable' ? answer.why : ''
}

/** They are only for the server they were stored for: the file may have been changed since, or restored. */
function withKeys(profile: StoredProfile, answer: KeyringAnswer): StoredProfile {
  if (answer.kind === 'unusable') throw new KeyringUnusableError(profile.url, answer.why)
  const keys = answer.kind === 'found' ? parseKeys(answer.secret) : undefined
  if (keys === undefined || !isSameAddress(keys.url, profile.url)) throw new SignedOutError(profile.url)
  return { ...keys, ...profile, apiKey: keys.apiKey }
}

function parseKeys(secret: string): StoredProfile | undefined {
  try {
    return parseStoredProfile(JSON.parse(secret))
  } catch {
    return undefined
  }
}

/** Whether the keyring has keys of the profile, those in use or older ones. */
function isInKeyring(profile: StoredProfile | undefined): boolean {
  return profile?.keyring === true || profile?.leftInKeyring === true
}

/** One entry for each profile of each file. People see this name when they look into their keyring. */
function accountOf(path: string, name: string): string {
  return `profile ${name} in ${path}`
}

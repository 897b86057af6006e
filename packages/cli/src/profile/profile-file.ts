import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { withFileLock } from './file-lock.ts'
import { setting, type Environment } from './environment.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** A service and its key. The key is only for this address. */
export interface StoredProfile {
  readonly url: string
  readonly apiKey: string
  /** For agent names without a workspace. */
  readonly workspace?: string
  /** If a person signed in through the browser: the key changes every hour. */
  readonly session?: StoredSession
  /** Whether the keys are in the system keyring; then there are none here. */
  readonly keyring?: true
  /** Whether the keyring still has keys of an earlier session, because it could not be used. */
  readonly leftInKeyring?: true
}

interface StoredSession {
  readonly renewalKey: string
  /** When the stored key expires, in epoch milliseconds. */
  readonly keyExpiresAt: number
  /** When the session ends, however often the key is renewed. */
  readonly expiresAt: number
}

export interface ProfileFile {
  readonly path: string
  readonly current: string
  readonly profiles: Readonly<Record<string, StoredProfile>>
}

/** The user's profiles, written by `skein login`. */
export async function readProfileFile(env: Environment): Promise<ProfileFile> {
  const path = profilePath(env)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return { path, current: 'default', profiles: {} }
  }
  try {
    return { path, ...parseProfileFile(JSON.parse(text)) }
  } catch {
    throw new UsageError(`${path} is not a profile file.`, 'Fix it, or remove it and run: skein login')
  }
}

/** The caller must hold the file's lock. */
export function writeProfileFile({ path, current, profiles }: ProfileFile): Promise<void> {
  return writePrivately(path, { current, profiles })
}

/** One process at a time, with the file as it is then. */
export async function changeProfileFile<Result>(
  env: Environment,
  change: (file: ProfileFile) => Promise<Result>,
): Promise<Result> {
  const path = profilePath(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return withFileLock(path, async () => change(await readProfileFile(env)))
}

/** Atomic, and readable only by the owner. */
export async function writePrivately(path: string, value: object): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, path)
}

export function parseStoredProfile(value: unknown): StoredProfile {
  const { url, apiKey, workspace, session, keyring, leftInKeyring } = asRecord(value)
  if (typeof url !== 'string' || typeof apiKey !== 'string') throw new TypeError('a broken profile')
  return {
    url,
    apiKey,
    ...(typeof workspace === 'string' && { workspace }),
    ...(session !== undefined && { session: parseSession(session) }),
    ...(keyring === true && { keyring }),
    ...(leftInKeyring === true && { leftInKeyring }),
  }
}

function parseSession(value: unknown): StoredSession {
  const { renewalKey, keyExpiresAt, expiresAt } = asRecord(value)
  if (typeof renewalKey !== 'string' || typeof keyExpiresAt !== 'number' || typeof expiresAt !== 'number') {
    throw new TypeError('a broken session')
  }
  return { renewalKey, keyExpiresAt, expiresAt }
}

export function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object')
  return { ...value }
}

export function profilePath(env: Environment): string {
  const folder = setting(env, 'XDG_CONFIG_HOME') ?? join(setting(env, 'HOME') ?? homedir(), '.config')
  // Absolute, because it names the entry in the keyring: two folders may each have a file of the same name.
  return resolve(setting(env, 'SKEIN_CONFIG') ?? join(folder, 'skein', 'config.json'))
}

function parseProfileFile(value: unknown): Omit<ProfileFile, 'path'> {
  const { current, profiles } = asRecord(value)
  if (typeof current !== 'string') throw new TypeError('no current profile')
  const entries = Object.entries(asRecord(profiles)).map(
    ([name, profile]) => [name, parseStoredProfile(profile)] as const,
  )
  return { current, profiles: Object.fromEntries(entries) }
}

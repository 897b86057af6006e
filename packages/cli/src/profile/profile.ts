import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError, readSecret } from '@skein/contract/facts'
import { setting, type Environment } from './environment.ts'
import { findFolderProfile, readFolderProfile, type FolderProfile } from './folder-profile.ts'
import { readProfileFile, type ProfileFile, type StoredProfile } from './profile-file.ts'
import { ServerDownError, UsageError } from '../command-line/usage-error.ts'

/** The service to talk to, and its key. */
export interface Profile extends StoredProfile {
  /** The name under which it is stored, unless it comes from elsewhere. */
  readonly name?: string
  /** Tenant and name of the workload identity whose keys to use. */
  readonly workload?: string
  /** Where the address comes from, for messages. */
  readonly source: string
  /** Where the key comes from, for messages. */
  readonly keySource: string
  /** Shown once if it isn't obvious which server is used. */
  readonly notice?: string
}

interface Place {
  readonly env: Environment
  /** The value of --profile: a stored profile, or the folder of a `skein dev`. */
  readonly name?: string | undefined
  readonly cwd: string
}

const FROM_ENVIRONMENT = 'SKEIN_API_KEY'
const HOW_TO_SIGN_IN =
  'Sign in with: skein login. Or set SKEIN_URL and SKEIN_API_KEY. To try Skein on this machine: skein dev'

/** In order: --profile, SKEIN_URL, SKEIN_PROFILE, the nearest `.skein` upwards, the current profile. */
export async function readProfile({ env, name, cwd }: Place): Promise<Profile> {
  const workspace = setting(env, 'SKEIN_WORKSPACE')
  const profile =
    name === undefined ? await readUnnamed(env, cwd) : await readNamed(await readProfileFile(env), name)
  return { ...profile, ...(workspace !== undefined && { workspace }) }
}

async function readUnnamed(env: Environment, cwd: string): Promise<Profile> {
  const file = await readProfileFile(env)
  const url = setting(env, 'SKEIN_URL')
  const apiKey = readKey(env)
  const workload = setting(env, 'SKEIN_WORKLOAD_IDENTITY')
  if (url !== undefined && apiKey === undefined && workload !== undefined) {
    return {
      url: requireUrl(url),
      apiKey: '',
      workload,
      source: 'SKEIN_URL',
      keySource: `workload identity ${workload}`,
    }
  }
  if (url !== undefined) return fromEnvironment(requireUrl(url), apiKey, file, cwd)
  const wanted = setting(env, 'SKEIN_PROFILE')
  const profile = wanted === undefined ? await findUsual(file, cwd) : await readNamed(file, wanted)
  if (apiKey === undefined) return profile
  const { session: _session, keyring: _keyring, ...others } = profile
  return { ...others, apiKey, keySource: FROM_ENVIRONMENT }
}

/** From SKEIN_API_KEY, or from the file that SKEIN_API_KEY_FILE names. */
function readKey(env: Environment): string | undefined {
  try {
    return readSecret('SKEIN_API_KEY', env, (path) => readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, HOW_TO_SIGN_IN)
    throw error
  }
}

/** A stored key is only sent to the server it was stored for. */
async function fromEnvironment(
  url: string,
  apiKey: string | undefined,
  file: ProfileFile,
  cwd: string,
): Promise<Profile> {
  const folder = await findFolderProfile(cwd).catch(() => undefined)
  const { [file.current]: current, ...others } = file.profiles
  const candidates: readonly (Partial<Profile> | undefined)[] = [
    current && stored(file, file.current, current),
    folder && { url: folder.url, apiKey: folder.apiKey, keySource: folder.folder, ...workspaceOf(folder) },
    ...Object.entries(others).map(([name, profile]) => stored(file, name, profile)),
  ]
  const found = candidates.find((candidate) => isSameAddress(candidate?.url ?? '', url))
  const key = apiKey ?? found?.apiKey
  if (key === undefined) {
    throw new UsageError(
      `No API key is stored for ${url} (from SKEIN_URL).`,
      `Set SKEIN_API_KEY, or sign in with: skein login --url ${url}`,
    )
  }
  const common = { url, apiKey: key, source: 'SKEIN_URL', ...workspaceOf(found) }
  if (apiKey !== undefined) return { ...common, keySource: FROM_ENVIRONMENT }
  const { name, session, keyring, keySource = '' } = found ?? {}
  if (name === undefined || (session === undefined && !keyring)) return { ...common, keySource }
  return { ...common, keySource, name, ...(session && { session }), ...(keyring && { keyring }) }
}

function stored({ path }: ProfileFile, name: string, profile: StoredProfile): Omit<Profile, 'source'> {
  return { ...profile, name, keySource: profile.keyring ? 'the system keyring' : path }
}

function workspaceOf(profile: Partial<Profile> | undefined): Pick<Profile, 'workspace'> {
  return profile?.workspace === undefined ? {} : { workspace: profile.workspace }
}

async function findUsual(file: ProfileFile, cwd: string): Promise<Profile> {
  const folder = await findFolderProfile(cwd)
  const { path, current, profiles } = file
  const usual = profiles[current]
  if (folder !== undefined) {
    const isObvious = dirname(folder.folder) === resolve(cwd) && usual === undefined
    const notice = `Using the Skein of ${folder.folder} (${folder.url}).`
    return { ...fromFolder(folder), ...(!isObvious && { notice }) }
  }
  if (usual === undefined) throw new UsageError('No server is set.', HOW_TO_SIGN_IN)
  const isObvious = Object.values(profiles).every(({ url }) => isSameAddress(url, usual.url))
  const notice = `Using the profile ${current} (${usual.url}).`
  return {
    ...stored(file, current, usual),
    source: `the profile ${current} in ${path}`,
    ...(!isObvious && { notice }),
  }
}

async function readNamed(file: ProfileFile, name: string): Promise<Profile> {
  const { path, profiles } = file
  if (name.includes('/')) return fromFolder(await readFolderProfile(resolve(name)))
  const found = profiles[name]
  if (found !== undefined) return { ...stored(file, name, found), source: `the profile ${name} in ${path}` }
  const names = Object.keys(profiles)
  throw new UsageError(
    `Profile not found: ${name}.`,
    names.length > 0
      ? `Existing profiles: ${names.join(', ')}.`
      : `Create it with: skein login --profile ${name}`,
  )
}

/** After it stopped, another process may use its port. */
function fromFolder({ folder, pid: _pid, isRunning, model: _model, ...profile }: FolderProfile): Profile {
  if (!isRunning) {
    throw new ServerDownError(
      `The Skein of ${folder} is not running.`,
      'Start it with skein dev, or name another one with --profile.',
    )
  }
  return { ...profile, source: folder, keySource: folder }
}

function requireUrl(url: string): string {
  if (isHttpUrl(url)) return url
  throw new UsageError(
    `SKEIN_URL is ${JSON.stringify(url)}, which is not a URL.`,
    'Use a URL such as https://skein.example.com, or unset it.',
  )
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

export function isSameAddress(left: string, right: string): boolean {
  return normalizeUrl(left) === normalizeUrl(right)
}

function normalizeUrl(text: string): string | undefined {
  return URL.parse(text)?.href.replace(/\/+$/, '')
}

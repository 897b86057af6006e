import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setting, type Environment } from './environment.ts'
import { UsageError } from './usage-error.ts'

/** Where to find a service and with which key. Kept in the file below, which only its owner can read. */
export interface Profile {
  readonly url: string
  readonly apiKey: string
  /** For agent names without a workspace. */
  readonly workspace?: string
}

interface ProfileFile {
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

function profilePath(env: Environment): string {
  const folder = setting(env, 'XDG_CONFIG_HOME') ?? join(setting(env, 'HOME') ?? homedir(), '.config')
  return setting(env, 'SKEIN_CONFIG') ?? join(folder, 'skein', 'config.json')
}

/** The environment wins over the file, value by value. */
export async function readProfile(env: Environment, name: string | undefined): Promise<Profile> {
  const { current, profiles } = await readProfileFile(env)
  const wanted = name ?? setting(env, 'SKEIN_PROFILE')
  const stored = profiles[wanted ?? current]
  if (wanted !== undefined && !stored) {
    const names = Object.keys(profiles)
    throw new UsageError(
      `There is no profile named ${wanted}.`,
      names.length > 0 ? `There are: ${names.join(', ')}.` : `Make it with: skein login --profile ${wanted}`,
    )
  }
  // A profile that was asked for by name is meant, whatever the environment says.
  const fromEnv = (variable: string): string | undefined =>
    name === undefined ? setting(env, variable) : undefined
  const url = fromEnv('SKEIN_URL') ?? stored?.url
  const apiKey = fromEnv('SKEIN_API_KEY') ?? stored?.apiKey
  const workspace = setting(env, 'SKEIN_WORKSPACE') ?? stored?.workspace
  if (url === undefined || apiKey === undefined) {
    throw new UsageError(
      url === undefined ? 'No server is set.' : 'No API key is set.',
      'Sign in with: skein login. Or set SKEIN_URL and SKEIN_API_KEY. To try Skein on this machine: skein dev',
    )
  }
  return { url, apiKey, ...(workspace !== undefined && { workspace }) }
}

/** Stores the profile and makes it the current one. */
export async function writeProfile(env: Environment, name: string, profile: Profile): Promise<string> {
  const path = profilePath(env)
  const { profiles } = await readProfileFile(env)
  const file: ProfileFile = { current: name, profiles: { ...profiles, [name]: profile } }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, path)
  return path
}

async function readProfileFile(env: Environment): Promise<ProfileFile> {
  const path = profilePath(env)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return { current: 'default', profiles: {} }
  }
  try {
    return parseProfileFile(JSON.parse(text))
  } catch {
    throw new UsageError(`${path} is not a profile file.`, 'Mend it, or remove it and run: skein login')
  }
}

function parseProfileFile(value: unknown): ProfileFile {
  const { current, profiles } = asRecord(value)
  if (typeof current !== 'string') throw new TypeError('no current profile')
  const entries = Object.entries(asRecord(profiles)).map(([name, profile]) => {
    const { url, apiKey, workspace } = asRecord(profile)
    if (typeof url !== 'string' || typeof apiKey !== 'string') throw new TypeError('a broken profile')
    return [name, { url, apiKey, ...(typeof workspace === 'string' && { workspace }) }] as const
  })
  return { current, profiles: Object.fromEntries(entries) }
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object')
  return { ...value }
}

import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { asRecord, parseStoredProfile, writePrivately, type StoredProfile } from './profile-file.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** What answers the agents of a `skein dev`: `provider` costs money, `none` means there is no runner. */
export type DevModel = 'simulator' | 'provider' | 'none'

/** Stored by `skein dev` in its folder, so that commands run below it use this server. */
export interface FolderProfile extends StoredProfile {
  readonly folder: string
  readonly pid: number
  readonly isRunning: boolean
  readonly model: DevModel
}

export const DEV_FOLDER = '.skein'
const FILE = 'profile.json'
const MODELS: readonly DevModel[] = ['simulator', 'provider', 'none']
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

export function writeFolderProfile(
  folder: string,
  profile: StoredProfile & { readonly model: DevModel },
): Promise<void> {
  return writePrivately(join(folder, FILE), { ...profile, pid: process.pid })
}

/** The profile of the nearest folder, going up from here. */
export async function findFolderProfile(from: string): Promise<FolderProfile | undefined> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, DEV_FOLDER, FILE))) return readFolderProfile(join(folder, DEV_FOLDER))
    if (folder === dirname(folder)) return undefined
  }
}

/**
 * A file placed in one of our folders, for example by a cloned repository, must not redirect our commands. So it
 * only counts if nobody else can have written it, and if it points to this machine.
 */
export async function readFolderProfile(folder: string): Promise<FolderProfile> {
  const path = join(folder, FILE)
  const refuse = (why: string): UsageError =>
    new UsageError(
      `${path} ${why}.`,
      'Remove it and run skein dev again, or name another one with --profile.',
    )
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    throw new UsageError(`No Skein found in ${folder}.`, 'Start one with: skein dev')
  }
  const isOurs =
    process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
  if (!isOurs) throw refuse('is ignored, because other users can read it or own it')
  const { profile, pid, model } = await parse(path).catch(() => {
    throw refuse('is not a profile')
  })
  if (!LOOPBACK.has(URL.parse(profile.url)?.hostname ?? '')) {
    throw refuse(`is ignored, because it points to another machine (${profile.url})`)
  }
  return { ...profile, folder, pid, isRunning: isAlive(pid), model }
}

async function parse(
  path: string,
): Promise<{ readonly profile: StoredProfile } & Pick<FolderProfile, 'pid' | 'model'>> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'))
  const { pid, model: named } = asRecord(value)
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) throw new TypeError('no process')
  const model = MODELS.find((known) => known === named)
  if (model === undefined) throw new TypeError('no model')
  return { profile: parseStoredProfile(value), pid, model }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

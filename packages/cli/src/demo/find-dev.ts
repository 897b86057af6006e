import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setting, type Environment } from '../profile/environment.ts'
import {
  DEV_FOLDER,
  findFolderProfile,
  readFolderProfile,
  type DevModel,
  type FolderProfile,
} from '../profile/folder-profile.ts'
import { ServerDownError, UsageError } from '../command-line/usage-error.ts'
import { readDemoMark } from './demo-mark.ts'

interface Place {
  readonly env: Environment
  /** The value of --profile. */
  readonly name: string | undefined
  readonly cwd: string
}

/** The `skein dev` that commands run here talk to, or the folder to start one in. */
export type FoundDev = { readonly running: FolderProfile } | { readonly startIn: string }

export async function findDev({ env, name, cwd }: Place): Promise<FoundDev> {
  const url = setting(env, 'SKEIN_URL')
  if (name === undefined && url !== undefined) {
    throw new UsageError(
      `The demo needs a skein dev on this machine, but SKEIN_URL points to ${url}.`,
      'Unset SKEIN_URL and run skein demo again.',
    )
  }
  const named = name ?? setting(env, 'SKEIN_PROFILE')
  if (named !== undefined) return { running: await readNamed(named) }
  const found = await findFolderProfile(cwd)
  if (found?.isRunning) return { running: found }
  const own = join(resolve(cwd), DEV_FOLDER)
  const folder = found !== undefined && (await readDemoMark(found.folder)) ? found.folder : own
  if (await isSomebodyElses(folder)) throw notRunning(folder)
  return { startIn: folder }
}

async function readNamed(name: string): Promise<FolderProfile> {
  if (!name.includes('/')) {
    throw new UsageError(
      `The demo needs a skein dev on this machine, but the profile ${name} is not the folder of one.`,
      'Run skein demo without this profile.',
    )
  }
  const profile = await readFolderProfile(resolve(name))
  if (!profile.isRunning) throw notRunning(profile.folder)
  return profile
}

/** Starting it on the simulator would make existing agents continue with a script instead of a model. */
async function isSomebodyElses(folder: string): Promise<boolean> {
  return existsSync(join(folder, 'dev.json')) && (await readDemoMark(folder)) === undefined
}

function notRunning(folder: string): ServerDownError {
  return new ServerDownError(
    `The Skein of ${folder} is not running.`,
    `Start it with skein dev --simulate in ${dirname(folder)}, or run skein demo in an empty folder.`,
  )
}

const WHY_NOT: Readonly<Record<Exclude<DevModel, 'simulator'>, string>> = {
  provider: 'it uses a real model, and the demo would cost real money',
  none: 'it has no runner',
}

/** The demo is free, and its agents follow scripts that only the simulator knows. */
export function requireSimulator({ folder, model }: FolderProfile): void {
  if (model === 'simulator') return
  throw new UsageError(
    `The demo cannot use the skein dev of ${folder}: ${WHY_NOT[model]}.`,
    'Run skein demo in an empty folder, or restart that one with: skein dev --simulate',
  )
}

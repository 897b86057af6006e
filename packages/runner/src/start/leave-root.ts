import { accessSync, constants } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '@skein/contract'
import type { RunnerConfig } from '../config.ts'
import { delegateCgroups } from './delegate-cgroups.ts'
import { handOverFolder } from './hand-over.ts'
import { chooseRunnerUser, findUser, type RunnerUser } from './runner-user.ts'

type Settings = Pick<RunnerConfig, 'SKEIN_RUNNER_USER' | 'SKEIN_RUNNER_DATA_DIR' | 'SKEIN_RUNNER_BLOBS'>

/**
 * Permanently switches the whole process to another user if it was started as root: for the kernel, an agent has the
 * runner's user id. Returns the new user; undefined if it was not root. See decision 0020.
 */
export function leaveRoot(settings: Settings): RunnerUser | undefined {
  const wanted = settings.SKEIN_RUNNER_USER
  if (process.getuid?.() !== 0) {
    if (wanted !== '' && findUser(wanted).uid !== process.getuid?.())
      throw new ConfigError(
        'Only root can switch to the user in SKEIN_RUNNER_USER: start the runner as that user.',
      )
    return undefined
  }
  const dataDir = resolve(settings.SKEIN_RUNNER_DATA_DIR)
  const user = chooseRunnerUser(wanted, dataDir)
  handOverFolder(dataDir, user)
  const blobDir = blobFolder(settings.SKEIN_RUNNER_BLOBS)
  if (blobDir !== undefined && !blobDir.startsWith(`${dataDir}/`)) handOverFolder(blobDir, user)
  delegateCgroups(user)
  become(user)
  // No longer true after switching users.
  for (const name of ['USER', 'LOGNAME', 'MAIL', 'SUDO_UID', 'SUDO_GID', 'SUDO_USER'])
    delete process.env[name]
  process.env['HOME'] = dataDir
  requireAccess(user, process.execPath, constants.X_OK)
  requireAccess(user, fileURLToPath(import.meta.url), constants.R_OK)
  requireAccess(user, dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  process.chdir(dataDir)
  return user
}

function become({ uid, gid }: RunnerUser): void {
  try {
    process.setgroups?.([])
    process.setgid?.(gid)
    process.setuid?.(uid)
  } catch (error) {
    throw new ConfigError(
      `The runner was started as root and cannot switch to the user ${uid} here (${messageOf(error)}). Start it as ` +
        'another user, or with permission to switch (in a container: the capabilities SETUID and SETGID).',
    )
  }
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || canReturn())
    throw new Error('The runner is still root')
}

function canReturn(): boolean {
  try {
    process.setuid?.(0)
    return true
  } catch {
    return false
  }
}

/** Names the folder that denies access, which may be far above. */
function requireAccess({ uid }: RunnerUser, path: string, mode: number): void {
  const closed = [
    ...foldersAbove(path).map((dir) => [dir, constants.X_OK] as const),
    [path, mode] as const,
  ].find(([place, wanted]) => !isAllowed(place, wanted))
  if (!closed) return
  throw new ConfigError(
    `The runner was started as root and switches to the user ${uid}, who has no access to ${closed[0]} and so cannot ` +
      `use ${path}. Install Skein and keep its data where that user has access (such as /opt and /var/lib), change the ` +
      'folder’s permissions, or set SKEIN_RUNNER_USER to another user.',
  )
}

function foldersAbove(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...foldersAbove(parent), parent]
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function blobFolder(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'file:' ? fileURLToPath(url) : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Git holds these only briefly. An older one was left by a killed process. */
const STALE_AFTER_MS = 10_000

export function isLockedByGit(stderr: string): boolean {
  return /\.lock': File exists|Unable to create '.*\.lock'/.test(stderr)
}

/**
 * Removes the lock files of killed git processes. The caller holds the mirror's lock, so no other process of ours is
 * active.
 */
export async function removeStaleGitLocks(mirrorDir: string): Promise<void> {
  const locks = await findLocks(mirrorDir)
  const youngestMs = Math.max(0, ...locks.map(({ modifiedMs }) => modifiedMs))
  await pause(Math.max(0, youngestMs + STALE_AFTER_MS - Date.now()))
  for (const { path, modifiedMs } of locks) {
    const now = await stat(path).catch(() => undefined)
    if (now?.mtimeMs === modifiedMs) await rm(path, { force: true })
  }
}

async function findLocks(mirrorDir: string): Promise<{ path: string; modifiedMs: number }[]> {
  const top = (await readdir(mirrorDir)).map((name) => join(mirrorDir, name))
  const refs = await readdir(join(mirrorDir, 'refs'), { recursive: true })
  const paths = [
    ...top,
    join(mirrorDir, 'objects', 'maintenance.lock'),
    ...refs.map((name) => join(mirrorDir, 'refs', name)),
  ].filter((path) => path.endsWith('.lock'))
  const found = await Promise.all(
    paths.map(async (path) => ({ path, modifiedMs: (await stat(path).catch(() => undefined))?.mtimeMs })),
  )
  return found.flatMap(({ path, modifiedMs }) => (modifiedMs === undefined ? [] : [{ path, modifiedMs }]))
}

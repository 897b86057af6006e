import { lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { SandboxSpec } from './sandbox.ts'

/**
 * Creates the sandbox's directories and rejects layouts that allow an escape: an agent that can write where another
 * path is mounted from could put a link there, and the next program would see the link's target.
 */
export async function checkDirectories(spec: SandboxSpec): Promise<void> {
  await mkdir(spec.workDir, { recursive: true })
  await mkdir(spec.stateDir, { recursive: true })
  const workDir = await realpath(spec.workDir)
  const stateDir = await realpath(spec.stateDir)
  if (isInside(workDir, stateDir) || isInside(stateDir, workDir)) {
    throw new Error(
      `A sandbox's work and state directories must not contain each other: ${workDir}, ${stateDir}`,
    )
  }
  for (const path of spec.readOnlyPaths) {
    const source = await realpath(path).catch(() => path)
    if ([path, source].some((name) => isInside(name, workDir) || isInside(name, stateDir))) {
      throw new Error(`A read-only path must not be inside a writable one: ${path}`)
    }
  }
}

/** An agent may have left something else there, such as a link. */
export async function makePrivateDirectory(spec: SandboxSpec, name: string): Promise<string> {
  const path = join(spec.stateDir, name)
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isDirectory()) await rm(path, { force: true })
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}

function isInside(path: string, dir: string): boolean {
  const below = relative(dir, path)
  return below === '' || (below !== '..' && !below.startsWith('../'))
}

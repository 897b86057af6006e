import { lstat, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateDirectory } from '../../sandbox/directories.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { CONFIG_DIR } from './program-environment.ts'

/** Below the configuration directory. Claude follows links to it. */
const SETTINGS = '.claude.json'

/**
 * Claude writes its settings about ten times when it first starts, and waits for the disk each time. A later program
 * needs nothing of them: on another host it doesn't have them either. So they are in memory, where the sandbox has some.
 */
export async function placeSettings({ spec, memoryDir }: Pick<Sandbox, 'spec' | 'memoryDir'>): Promise<void> {
  // Agents can write here, and may have left something else in its place.
  const settings = join(await makePrivateDirectory(spec, CONFIG_DIR), SETTINGS)
  if (memoryDir === undefined) return removeLink(settings)
  await rm(settings, { recursive: true, force: true })
  await symlink(join(memoryDir, 'claude.json'), settings)
}

/** Left by a sandbox with memory of its own. Here it would lead to the host's, which everyone on the host can write to. */
async function removeLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) await rm(path)
}

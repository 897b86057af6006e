import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_DIR } from './program-environment.ts'

const PROJECTS = join(CONFIG_DIR, 'projects')

/**
 * The program stores a transcript in a folder named after the work directory, and finds it by id in any folder. We
 * search for it the same way instead of reproducing the folder's name, so a session can move to another path.
 */
export async function findTranscript(stateDir: string, sessionId: string): Promise<string | undefined> {
  const folders = await readdir(join(stateDir, PROJECTS)).catch(() => [])
  for (const folder of folders) {
    const path = join(PROJECTS, folder, `${sessionId}.jsonl`)
    if (await isOwnFile(stateDir, path)) return path
  }
  return undefined
}

/** The agent can write here, so a link could point to a file that isn't its own. */
async function isOwnFile(stateDir: string, path: string): Promise<boolean> {
  try {
    return (await realpath(join(stateDir, path))) === join(await realpath(stateDir), path)
  } catch {
    return false
  }
}

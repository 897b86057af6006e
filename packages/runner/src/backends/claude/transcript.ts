import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_DIR } from './program-environment.ts'

const PROJECTS = join(CONFIG_DIR, 'projects')

/**
 * The program keeps a transcript in a folder that is named after the work directory, and finds it by its id in any
 * folder. So we look for it too, rather than repeat how the name is made, and a session can move to another path.
 */
export async function findTranscript(stateDir: string, sessionId: string): Promise<string | undefined> {
  const folders = await readdir(join(stateDir, PROJECTS)).catch(() => [])
  for (const folder of folders) {
    const path = join(PROJECTS, folder, `${sessionId}.jsonl`)
    if (await isOwnFile(stateDir, path)) return path
  }
  return undefined
}

/** The agent can write here: a link could lead to a file that is not its own. */
async function isOwnFile(stateDir: string, path: string): Promise<boolean> {
  try {
    return (await realpath(join(stateDir, path))) === join(await realpath(stateDir), path)
  } catch {
    return false
  }
}

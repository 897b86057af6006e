import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Environment } from '../profile/environment.ts'

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/** git's error output. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

/** Runs git in a folder. The URL comes from the service, so protocols that start programs are disabled. */
export async function runGit(folder: string, args: readonly string[], env: Environment): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', [...args], {
      cwd: folder,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...env, GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh', GIT_TERMINAL_PROMPT: '0' },
    })
    return stdout
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new GitError(said === '' ? String(error) : said, { cause: error })
  }
}

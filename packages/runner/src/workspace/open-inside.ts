import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Opens a file for reading in a directory that an agent can write to, and may be writing to right now. Follows no
 * link below the directory: each step starts from the directory that the last one opened, so it doesn't matter what the
 * agent moves meanwhile. Undefined if there is no such file, or something else in its place. Without starting a
 * program in the sandbox, which takes longer than reading a conversation.
 */
export async function openInside(dir: string, path: string): Promise<FileHandle | undefined> {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  let here = await open(dir, O_RDONLY | O_DIRECTORY)
  let herePath = dir
  try {
    for (const part of parts) {
      herePath = below(here, herePath, part)
      const next = await open(herePath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      await here.close()
      here = next
    }
    // Opening a pipe would wait for a writer.
    const file = await open(below(here, herePath, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await file.stat()).isFile()) return file
    await file.close()
    return undefined
  } catch (error) {
    if (isElsewhere(error)) return undefined
    throw error
  } finally {
    await here.close()
  }
}

/**
 * Linux opens it in the very directory that is open. Elsewhere there are only sandboxes whose agents may read whatever
 * the runner may.
 */
function below(dir: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${dir.fd}/${name}` : join(path, name)
}

/** Missing, a link, not a directory, or something that cannot be opened. */
function isElsewhere(error: unknown): boolean {
  const codes = ['ENOENT', 'ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO', 'EACCES']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RepoAddress } from './repo-address.ts'

/**
 * Git refuses a repository on this disk that is another user's, who could make it run commands. Root's is no danger
 * beyond what root could do anyway, and `skein dev` of root keeps its sample there for a runner that is not root.
 * By a file, because git passes none of its variables on to the other side of a repository.
 */
export async function trustRepoOfRoot(
  { url, isLocal }: RepoAddress,
  dir: string,
): Promise<Record<string, string>> {
  if (!isLocal) return {}
  const owner = await stat(url.startsWith('file://') ? fileURLToPath(url) : url).catch(() => undefined)
  if (owner?.uid !== 0) return {}
  const file = join(dir, 'repos-of-root.gitconfig')
  await mkdir(dir, { recursive: true })
  await writeFile(file, '[safe]\n\tdirectory = *\n')
  return { GIT_CONFIG_GLOBAL: file }
}

import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RepoAddress } from './repo-address.ts'

/**
 * Git refuses local repositories owned by another user, who could make it run commands. Root's are not an additional
 * risk, and when root runs `skein dev`, the sample is there for a runner that isn't root. Configured in a file,
 * because git doesn't pass its variables to the other side of a local repository.
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

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentFolder, lastUsedMs } from './agent-folder.ts'
import { measureTrees, removeTree } from './remove-tree.ts'

export interface DiskUsage {
  readonly bytes: number
  readonly folders: readonly FolderUsage[]
}

interface FolderUsage {
  readonly name: string
  readonly bytes: number
  readonly lastUsedMs: number
}

export interface EvictOptions {
  readonly maxBytes: number
  /** Space that must be freed in any case, because the disk is almost full. */
  readonly mustFreeBytes?: number
  /** How long a folder whose work could not be saved is kept after its last use. */
  readonly unsavedForMs: number
  /** A folder that was not used for this long is removed even if there is room. */
  readonly unusedForMs?: number
  readonly nowMs: number
  /** Folders to keep, because something is still open in them. */
  readonly keeps?: ReadonlySet<string>
}

/** Disk usage of agents' folders, least recently used first. */
export async function measureDisk(root: string): Promise<DiskUsage> {
  const names = (await readdir(root).catch(() => [])).filter((name) => !name.startsWith('.'))
  const sizes = await measureTrees(names.map((name) => join(root, name)))
  const folders = await Promise.all(
    names.map(async (name) => ({
      name,
      bytes: sizes.get(join(root, name)) ?? 0,
      lastUsedMs: await lastUsedMs(join(root, name)),
    })),
  )
  folders.sort((a, b) => a.lastUsedMs - b.lastUsedMs)
  return { bytes: folders.reduce((sum, { bytes }) => sum + bytes, 0), folders }
}

/**
 * Removes folders, least recently used first, until the rest fits and was used recently. Never one in use. Returns how
 * much was freed.
 */
export async function evictOldest(root: string, options: EvictOptions): Promise<number> {
  await removeTrash(root)
  const { bytes, folders } = await measureDisk(root)
  let freed = 0
  for (const usage of folders) {
    const isRecent = usage.lastUsedMs + (options.unusedForMs ?? Infinity) > options.nowMs
    const fits = bytes - freed <= options.maxBytes && freed >= (options.mustFreeBytes ?? 0)
    if (fits && isRecent) break
    if (options.keeps?.has(usage.name) === true) continue
    const folder = await AgentFolder.takeExisting(root, usage.name)
    if (!folder) continue
    if (!folder.record.isSaved && usage.lastUsedMs + options.unsavedForMs > options.nowMs) {
      folder.release()
      continue
    }
    await folder.remove()
    freed += usage.bytes
  }
  return freed
}

/** Left by a runner that was killed during a removal. */
async function removeTrash(root: string): Promise<void> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith('.trash-'))
  for (const name of names) await removeTree(join(root, name))
}

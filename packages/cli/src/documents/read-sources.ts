import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readStdin } from '../ask.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../command-line/usage-error.ts'

interface Source {
  /** A path, or `-` for standard input. */
  readonly source: string
  readonly text: string
}

/** The given files, all files in the given folders, and standard input for a dash. */
export async function readSources(io: Io, paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = []
  for (const path of paths) {
    if (path === '-') sources.push({ source: '-', text: await readStdin(io) })
    else
      for (const file of await filesAt(path))
        sources.push({ source: file, text: await readFile(file, 'utf8') })
  }
  return sources
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found)
    throw new UsageError(`${path} does not exist.`, 'Use a file, a folder, or - for standard input.')
  if (!found.isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  return names
    .filter((name) => /\.(ya?ml|json|md|markdown)$/.test(name) && !/(^|[\\/])(\.|README\.md$)/i.test(name))
    .sort()
    .map((name) => join(path, name))
}

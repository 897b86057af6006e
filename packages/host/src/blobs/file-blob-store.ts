import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { MAX_LISTED, type BlobStore } from './blob-store.ts'
import { hashKey, isMarkName, markPath, markPrefix } from './hash-key.ts'

export class FileBlobStore implements BlobStore {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = resolve(dir)
  }

  async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(key)
    const made = await mkdir(dirname(path), { recursive: true })
    const draft = `${path}.${randomUUID()}.new`
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        for await (const chunk of content instanceof Uint8Array ? [content] : content) await file.write(chunk)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      // Also those above it that may be new. Another caller may have made them a moment ago.
      const top = made === undefined || made === dirname(path) ? this.#dir : dirname(made)
      for (let dir = dirname(path); dir.length >= top.length; dir = dirname(dir)) await syncDirectory(dir)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<Readable | undefined> {
    try {
      const file = await open(this.#pathOf(key), 'r')
      return file.createReadStream({ signal })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key)
    for (const draft of await listNames(dirname(path), `${basename(path)}.`))
      await rm(join(dirname(path), draft), { force: true })
    await rm(path, { force: true })
  }

  async mark(group: string, name: string): Promise<void> {
    const path = join(this.#dir, markPath(group, name))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '', { mode: 0o600 })
  }

  async unmark(group: string, name: string): Promise<void> {
    await rm(join(this.#dir, markPath(group, name)), { force: true })
  }

  async listMarks(group: string): Promise<string[]> {
    const prefix = join(this.#dir, markPrefix(group))
    const names = await listNames(dirname(prefix), basename(prefix))
    return names
      .map((name) => name.slice(basename(prefix).length))
      .filter(isMarkName)
      .slice(0, MAX_LISTED)
  }

  #pathOf(key: string): string {
    return join(this.#dir, hashKey(key))
  }
}

/** Without it, a power failure may lose what was renamed or made in it. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function listNames(dir: string, prefix: string): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((name) => name.startsWith(prefix))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

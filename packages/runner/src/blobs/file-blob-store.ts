import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { BlobStore } from './blob-store.ts'
import { hashKey } from './hash-key.ts'

export class FileBlobStore implements BlobStore {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(key)
    await mkdir(dirname(path), { recursive: true })
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
      await syncDirectory(dirname(path))
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async get(key: string): Promise<Readable | undefined> {
    try {
      const file = await open(this.#pathOf(key), 'r')
      return file.createReadStream()
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  #pathOf(key: string): string {
    return join(this.#dir, hashKey(key))
  }
}

/** Without it, a power failure may lose the rename. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

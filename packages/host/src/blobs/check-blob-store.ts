import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ConfigError } from '@skein/contract'
import type { BlobStore } from './blob-store.ts'

/** Tries everything that will be done, so that an unusable store is noticed at the start. */
export async function checkBlobStore(store: BlobStore, setting: string): Promise<void> {
  const key = `check/${randomUUID()}`
  const content = Buffer.from(key)
  try {
    if (await store.get(key)) throw new Error('it returned an object that was never stored')
    await store.put(key, content)
    const found = await store.get(key)
    const isSame = found !== undefined && content.equals(await buffer(found))
    await store.remove(key)
    await store.mark(key, 'mark')
    const marks = await store.listMarks(key)
    await store.unmark(key, 'mark')
    if (!marks.includes('mark')) throw new Error('it did not list what was stored')
    if (!isSame) throw new Error('it did not return what was stored')
  } catch (error) {
    throw new ConfigError(`The blob store (${setting}) cannot be used: ${describe(error)}`, {
      cause: error,
    })
  }
}

/** For a failed request, only the cause says why. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof TypeError && error.cause instanceof Error ? describe(error.cause) : error.message
}

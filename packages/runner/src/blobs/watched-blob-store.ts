import type { BlobStore } from './blob-store.ts'

type Operation = keyof BlobStore

/** The same store, which also reports each failure. */
export function watchBlobStore(store: BlobStore, onFailure: (operation: Operation) => void): BlobStore {
  const watched = async <Result>(operation: Operation, work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      onFailure(operation)
      throw error
    }
  }
  return {
    put: (key, content) => watched('put', store.put(key, content)),
    get: (key) => watched('get', store.get(key)),
    remove: (key) => watched('remove', store.remove(key)),
  }
}

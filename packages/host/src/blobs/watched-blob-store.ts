import type { BlobStore } from './blob-store.ts'

/** A mark counts as what it is for. */
export type BlobOperation = 'put' | 'get' | 'remove' | 'list'

/** The same store, which also reports each failure. */
export function watchBlobStore(store: BlobStore, onFailure: (operation: BlobOperation) => void): BlobStore {
  const watched = async <Result>(operation: BlobOperation, work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      onFailure(operation)
      throw error
    }
  }
  return {
    put: (key, content, signal) => watched('put', store.put(key, content, signal)),
    get: (key, signal) => watched('get', store.get(key, signal)),
    remove: (key, signal) => watched('remove', store.remove(key, signal)),
    mark: (group, name) => watched('put', store.mark(group, name)),
    unmark: (group, name) => watched('remove', store.unmark(group, name)),
    listMarks: (group) => watched('list', store.listMarks(group)),
  }
}

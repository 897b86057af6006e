import type { Readable } from 'node:stream'

/** Stores what must outlive a runner: transcripts of sessions. */
export interface BlobStore {
  /** Atomic: a reader never sees a partial blob. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  get(key: string): Promise<Readable | undefined>
  /** Removing a missing blob is not an error. */
  remove(key: string): Promise<void>
}

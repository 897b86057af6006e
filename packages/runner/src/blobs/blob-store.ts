import type { Readable } from 'node:stream'

/** Keeps what must outlive a runner: transcripts of sessions. */
export interface BlobStore {
  /** All of it or nothing: a reader never sees a part. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  get(key: string): Promise<Readable | undefined>
  /** One that is not there is no error. */
  remove(key: string): Promise<void>
}

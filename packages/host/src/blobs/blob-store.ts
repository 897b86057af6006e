import type { Readable } from 'node:stream'

/**
 * Stores what must outlive a process and is too large for the database: conversations and old timelines. Signals end requests
 * to a server, not what an operating system does for a file.
 */
export interface BlobStore {
  /** Atomic: a reader never sees a partial blob. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>
  /** The signal also ends the reading of what it returns. */
  get(key: string, signal?: AbortSignal): Promise<Readable | undefined>
  /** Also what a killed process left of it. Removing a missing blob is not an error. */
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Names something of a group. Keys cannot be listed, because their objects' names are hashes; marks can. */
  mark(group: string, name: string): Promise<void>
  unmark(group: string, name: string): Promise<void>
  /** The marks of a group, in no order. At most `MAX_LISTED`: remove these to see others. */
  listMarks(group: string): Promise<string[]>
}

export const MAX_LISTED = 1000

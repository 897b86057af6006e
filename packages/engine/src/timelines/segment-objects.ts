import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { SkeinError } from '@skein/contract'
import {
  readSegment,
  readSegmentLine,
  writeSegment,
  type SegmentHead,
  type StoredEventText,
} from '@skein/core'
import { SharedGate } from '@skein/host'
import type { BlobStore } from '@skein/host/blobs'
import type { NewSegment, Segment } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineEvents } from '../engine-events.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Slow for writing, which happens once; reading is as fast as with any other level. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 12 }
/** A timeline is read page by page, so a segment is needed several times. */
const CACHED_BYTES = 32 * 1024 * 1024
/** So many are in memory while they are read, and no more of them for one tenant. */
const MAX_READING = 4
const MAX_READING_OF_TENANT = 2
/** More than a segment can have: a few events can be as large as a request. */
const MAX_PLAIN_BYTES = 16 * 1024 * 1024
const RETRY_MS = 5_000
/** Readers wait less than callers for an answer: for others to be read, and for the store. Nobody waits for writers. */
const PATIENCE = { turnMs: 5_000, storeMs: 10_000, writeMs: 30_000 }

/** A segment with what is to be stored. */
export interface WrittenSegment {
  readonly segment: NewSegment
  readonly content: Buffer
}

/** Segments in the blob store. */
export class SegmentObjects {
  readonly #blobs: BlobStore | undefined
  readonly #cell: string
  readonly #events: EngineEvents
  readonly #patience: typeof PATIENCE
  readonly #reading = new SharedGate(MAX_READING, MAX_READING_OF_TENANT)
  readonly #cache = new LRUCache<string, Promise<readonly string[]>>({ max: 1_000, maxSize: CACHED_BYTES })

  /** Each cell has objects of its own, even in a store that it shares: another cell may delete the same events earlier. */
  constructor(blobs: BlobStore | undefined, cell: string, events: EngineEvents, patience = PATIENCE) {
    this.#blobs = blobs
    this.#cell = cell
    this.#events = events
    this.#patience = patience
  }

  /** Whether there is a blob store. Without one, no events are moved. */
  get isUsable(): boolean {
    return this.#blobs !== undefined
  }

  /** Does not store it. Fails if it could not be read again. */
  async write(
    { tenantId, agentId }: Pick<SegmentHead, 'tenantId' | 'agentId'>,
    events: readonly StoredEventText[],
  ): Promise<WrittenSegment> {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) throw new Error('A segment has events')
    const range = { firstSequence: first.sequence, lastSequence: last.sequence }
    const plain = Buffer.from(writeSegment({ tenantId, agentId, ...range }, events))
    const content = await compress(plain, { params: LEVEL })
    const segment = {
      agentId,
      ...range,
      events: events.length,
      lastAtMicros: events.reduce((at, { atMicros }) => (atMicros > at ? atMicros : at), 0n),
      storedBytes: content.length,
      plainBytes: plain.length,
      checksum: hashOf(content),
    }
    const lines = await linesOf(content, tenantId, { ...segment, object: segment.checksum })
    const isReadable = lines?.every(
      (line, index) => readSegmentLine(line)?.sequence === events[index]?.sequence,
    )
    if (lines?.length !== events.length || isReadable !== true)
      throw new Error(`The events of ${agentId} from ${first.sequence} on cannot be put into a segment`)
    return { content, segment }
  }

  /** Stores it, and reads it back. Once the signal aborts, what may still arrive in the store does no harm. */
  async store(object: string, content: Buffer, stopped?: AbortSignal): Promise<void> {
    const [blobs, key] = [this.#require(), this.#keyOf(object)]
    await this.#patiently(stopped, async (signal) => {
      await blobs.put(key, content, signal)
      const found = await readBounded(await blobs.get(key, signal), content.length)
      if (!found?.equals(content)) throw new Error('The blob store did not return what was stored')
    })
  }

  async remove(object: string, stopped?: AbortSignal): Promise<void> {
    const [blobs, key] = [this.#require(), this.#keyOf(object)]
    await this.#patiently(stopped, (signal) => blobs.remove(key, signal))
  }

  /** Ends with the signal or after a while, even if the store does not. */
  async #patiently(
    stopped: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const patience = AbortSignal.timeout(this.#patience.writeMs)
    const signal = stopped ? AbortSignal.any([patience, stopped]) : patience
    signal.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const giveUp = () => aborted.reject(new Error('The blob store did not respond', { cause: signal.reason }))
    signal.addEventListener('abort', giveUp)
    try {
      await Promise.race([work(signal), aborted.promise])
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Its events, one line each. Fails if it cannot be read: there is never a gap. */
  read(tenantId: string, segment: Segment): Promise<readonly string[]> {
    const key = `${tenantId}/${segment.agentId}/${segment.object}`
    const known = this.#cache.get(key)
    if (known) return known
    const reading = this.#load(tenantId, segment)
    this.#cache.set(key, reading, { size: Math.max(1, segment.plainBytes) })
    reading.catch(() => {
      if (this.#cache.peek(key) === reading) this.#cache.delete(key)
    })
    return reading
  }

  async #load(tenantId: string, segment: Segment): Promise<readonly string[]> {
    const leave = await this.#reading.enter(tenantId, AbortSignal.timeout(this.#patience.turnMs))
    if (!leave) throw new SkeinError('TIMELINE_UNAVAILABLE', { retryDelayMs: RETRY_MS })
    try {
      const content = await this.#fetch(segment)
      const lines = content && (await linesOf(content, tenantId, segment))
      if (lines) return lines
    } finally {
      leave()
    }
    this.#events.emit({ type: 'segment-unreadable', cause: 'damaged', object: segment.object })
    throw damaged(segment)
  }

  /** Undefined if it is missing, or larger than it was. */
  async #fetch({ object, storedBytes }: Segment): Promise<Buffer | undefined> {
    try {
      const signal = AbortSignal.timeout(this.#patience.storeMs)
      return await readBounded(await this.#require().get(this.#keyOf(object), signal), storedBytes)
    } catch (error) {
      this.#events.emit({ type: 'segment-unreadable', cause: 'unavailable', object, error })
      throw new SkeinError('TIMELINE_UNAVAILABLE', { retryDelayMs: RETRY_MS, cause: error })
    }
  }

  #keyOf(object: string): string {
    return `timelines/${this.#cell}/${object}`
  }

  #require(): BlobStore {
    if (!this.#blobs) throw new Error('SKEIN_BLOBS is not set, but events were moved to a blob store')
    return this.#blobs
  }
}

/** Nothing is decompressed whose checksum is wrong. */
async function linesOf(content: Buffer, tenantId: string, segment: Segment): Promise<string[] | undefined> {
  if (!segment.object.startsWith(hashOf(content)) || segment.plainBytes > MAX_PLAIN_BYTES) return undefined
  try {
    const plain = await decompress(content, { maxOutputLength: segment.plainBytes })
    return plain.length === segment.plainBytes
      ? readSegment(plain.toString(), { tenantId, ...segment })
      : undefined
  } catch {
    return undefined
  }
}

async function readBounded(stream: Readable | undefined, mostBytes: number): Promise<Buffer | undefined> {
  if (!stream) return undefined
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream.
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A blob has bytes')
    size += chunk.length
    if (size > mostBytes) return undefined
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

function damaged({ firstSequence, lastSequence }: Segment): SkeinError {
  const [first, last] = [firstSequence.toString(), lastSequence.toString()]
  return new SkeinError('TIMELINE_DAMAGED', {
    message: `The events ${first} to ${last} cannot be read: the object that has them is missing or damaged.`,
    metadata: { firstSequence: first, lastSequence: last },
  })
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

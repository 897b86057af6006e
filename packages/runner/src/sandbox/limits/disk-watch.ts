import { stat, statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import {
  BYTES_PER_INODE,
  measureFewFiles,
  measureFolders,
  measureUnlinked,
  type FolderSize,
} from './measure-folders.ts'

export interface WatchedFolders {
  /** All on one file system. */
  readonly dirs: readonly string[]
  /** Maximum size; 0 means no limit of their own. */
  readonly maxBytes: number
  /** Files these processes have open count even after they were deleted. */
  readonly listProcesses: () => readonly number[]
  /** Must end the processes that write there. */
  readonly onBreach: (reason: string) => void
}

export interface DiskTerms {
  /** Space that must stay free. When only half of it is left, the folder that has grown most is ended. */
  readonly minFreeBytes: number
  /** Maximum size of all watched folders together. */
  readonly maxTotalBytes: number
}

/** What is left on a file system. */
interface FreeSpace {
  readonly bytes: number
  readonly inodes: number
}

/** The state when the folders were last measured. */
interface Measurement {
  readonly usedBytes: number
  readonly isWhole: boolean
  readonly free: FreeSpace
  readonly endedAt: number
  readonly tookMs: number
}

interface Watched extends WatchedFolders {
  /** More than its limit if it started with more: then it may not grow, but can clean up. */
  readonly allowedBytes: number
  readonly startBytes: number
  last: Measurement
}

const LOOK_EVERY_MS = 250
/** Space freed by others may hide growth: for at most this long, or as long as measuring takes 2 % of a core. */
const MEASURE_EVERY_MS = 5_000
const MEASURE_FACTOR = 50
/** Measuring takes at most a fifth of one core, however large the folders are. */
const REST_FACTOR = 4
/** A file system is never completely idle. */
const NOISE_BYTES = 8 * 1024 * 1024
const MIB = 1024 * 1024

/**
 * Keeps agents' folders within their size. Asking for a file system's free space costs nothing, so that is done four
 * times a second. A folder is measured only when the file system has lost as much as the folder may still grow.
 */
export class DiskWatch {
  readonly #terms: DiskTerms
  readonly #watched = new Set<Watched>()
  #isLooking = false

  constructor(terms: DiskTerms = { minFreeBytes: 0, maxTotalBytes: Infinity }) {
    this.#terms = terms
  }

  /** Before anything runs that can write there. Resolves to a function that ends the watch. */
  async add(folders: WatchedFolders): Promise<() => void> {
    const last = await measure(folders, await measureFewFiles(folders.dirs))
    const watched: Watched = {
      ...folders,
      last,
      startBytes: last.usedBytes,
      allowedBytes:
        folders.maxBytes === 0 ? Infinity : Math.max(folders.maxBytes, last.usedBytes + NOISE_BYTES),
    }
    this.#watched.add(watched)
    void this.#keepLooking()
    return () => void this.#watched.delete(watched)
  }

  async #keepLooking(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    while (this.#watched.size > 0) {
      await pause(LOOK_EVERY_MS, undefined, { ref: false })
      for (const watched of this.#watched) await this.#lookAt(watched)
      this.#checkTotal()
    }
    this.#isLooking = false
  }

  async #lookAt(watched: Watched): Promise<void> {
    const free = await readFreeSpace(watched.dirs)
    const isScarce = free.bytes < this.#terms.minFreeBytes / 2
    if (!isDue(watched.last, watched.allowedBytes, { free, isScarce, nowMs: performance.now() })) return
    watched.last = await measure(watched)
    const { usedBytes, isWhole } = watched.last
    if (watched.maxBytes > 0 && !isWhole) {
      this.#breach(
        watched,
        'The agent’s disk usage cannot be measured, because it keeps making its folders unreadable.',
      )
    } else if (usedBytes > watched.allowedBytes) {
      this.#breach(
        watched,
        `The agent uses ${inMib(usedBytes)} of disk space; its limit is ${inMib(watched.maxBytes)}.`,
      )
    } else if (isScarce && watched === this.#fastestGrowing()) {
      this.#breach(
        watched,
        `The runner’s host has only ${inMib(free.bytes)} of disk space left, and this agent used the most.`,
      )
    }
  }

  #checkTotal(): void {
    const total = [...this.#watched].reduce((sum, { last }) => sum + last.usedBytes, 0)
    const largest = this.#fastestGrowing()
    if (total <= this.#terms.maxTotalBytes || !largest) return
    const allowed = inMib(this.#terms.maxTotalBytes)
    this.#breach(
      largest,
      `The agents of this runner use more than ${allowed} of disk space, and this one used the most.`,
    )
  }

  #fastestGrowing(): Watched | undefined {
    const growth = ({ last, startBytes }: Watched): number => last.usedBytes - startBytes
    const growing = [...this.#watched].filter((watched) => growth(watched) > NOISE_BYTES)
    return growing.toSorted((a, b) => growth(b) - growth(a))[0]
  }

  #breach(watched: Watched, reason: string): void {
    if (this.#watched.delete(watched)) watched.onBreach(reason)
  }
}

/** Whether it may have exceeded its limit since it was measured, judging by the file system's free space. */
export function isDue(
  { usedBytes, free, endedAt, tookMs }: Measurement,
  allowedBytes: number,
  now: { readonly free: FreeSpace; readonly isScarce: boolean; readonly nowMs: number },
): boolean {
  const restedMs = now.nowMs - endedAt
  if (restedMs < REST_FACTOR * tookMs) return false
  const lostBytes = Math.max(free.bytes - now.free.bytes, (free.inodes - now.free.inodes) * BYTES_PER_INODE)
  if (lostBytes >= Math.max(allowedBytes - usedBytes, NOISE_BYTES)) return true
  if (now.isScarce && lostBytes >= NOISE_BYTES) return true
  return restedMs >= Math.max(MEASURE_EVERY_MS, MEASURE_FACTOR * tookMs)
}

/** Infinite if unknown. */
export async function readFreeSpace([dir = '/']: readonly string[]): Promise<FreeSpace> {
  try {
    const { bavail, bsize, ffree } = await statfs(dir)
    return { bytes: bavail * bsize, inodes: ffree }
  } catch {
    return { bytes: Number.MAX_SAFE_INTEGER, inodes: 0 }
  }
}

async function measure({ dirs, listProcesses }: WatchedFolders, size?: FolderSize): Promise<Measurement> {
  const startedAt = performance.now()
  const free = await readFreeSpace(dirs)
  const { bytes, isWhole } = size ?? (await measureFolders(dirs))
  const device = await stat(dirs[0] ?? '/').catch(() => undefined)
  const unlinked = device ? await measureUnlinked(listProcesses(), device.dev) : 0
  const endedAt = performance.now()
  return { usedBytes: bytes + unlinked, isWhole, free, endedAt, tookMs: endedAt - startedAt }
}

function inMib(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`
}

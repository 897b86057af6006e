import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

export interface HeldLock {
  release(): void
}

const SQLITE_BUSY = 5
const POLL_MS = 20

/**
 * A lock on this host, held by an open and otherwise empty SQLite file: the one lock of the operating system that
 * Node can take. The kernel releases it however its holder ends. Nothing else may open the file, because closing
 * it would release the lock for the whole process.
 */
export function tryLock(path: string): HeldLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => database.isOpen && database.close() }
}

/** Takes locks in the order of asking, within this process. */
export class HostLocks {
  readonly #last = new Map<string, Promise<void>>()

  /** Undefined when it could not be had in time. */
  async acquire(path: string, timeoutMs: number): Promise<HeldLock | undefined> {
    const before = this.#last.get(path)
    const { promise: done, resolve: leave } = Promise.withResolvers<void>()
    const turn = Promise.all([before, done]).then(() => {
      if (this.#last.get(path) === turn) this.#last.delete(path)
    })
    this.#last.set(path, turn)
    const giveUpAt = performance.now() + timeoutMs
    try {
      if (before && !(await isDoneWithin(before, timeoutMs))) return abandon(leave)
      for (;;) {
        const held = tryLock(path)
        if (held) return { release: () => (held.release(), leave()) }
        if (performance.now() > giveUpAt) return abandon(leave)
        await pause(POLL_MS)
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}

function abandon(leave: () => void): undefined {
  leave()
  return undefined
}

async function isDoneWithin(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  const patience = new AbortController()
  try {
    return await Promise.race([
      promise.then(() => true),
      pause(timeoutMs, false, { signal: patience.signal }).catch(() => false),
    ])
  } finally {
    patience.abort()
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}
